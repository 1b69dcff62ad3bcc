"""What somebody meant who wrote a name that is no operator."""

from __future__ import annotations

import pytest

from qdsl import ops


@pytest.mark.parametrize(
    ("written", "meant", "origin"),
    [
        ("nn.dense", "matmul", "Relay"),
        ("dense", "matmul", "Relay"),
        ("nn.batch_matmul", "matmul", "Relay"),
        ("nn.bias_add", "add", "Relay"),
        ("concatenate", "concat", "Relay"),
        ("transpose", "permute_dims", "Relay"),
        ("nn.leaky_relu", "nn.leakyrelu", "Relay"),
        ("nn.global_avg_pool2d", "mean", "Relay"),
        ("Conv", "nn.conv2d", "ONNX"),
        ("Gemm", "matmul", "ONNX"),
        ("MatMul", "matmul", "ONNX"),
        ("BatchNormalization", "nn.batch_norm", "ONNX"),
        ("Relu", "nn.relu", "ONNX"),
        ("GlobalAveragePool", "mean", "ONNX"),
        ("Conv2d", "nn.conv2d", "PyTorch"),
        ("BatchNorm2d", "nn.batch_norm", "PyTorch"),
        ("relu6", "clip", "PyTorch"),
        ("torch.cat", "concat", "PyTorch"),
        ("linear", "matmul", "PyTorch"),
        ("conv2d", "nn.conv2d", None),
        ("relax.nn.conv2d", "nn.conv2d", None),
        ("R.add", "add", None),
        ("nn.conv2", "nn.conv2d", None),
        ("nn.covn2d", "nn.conv2d", None),
        ("nn.batchnorm", "nn.batch_norm", None),
        ("resize2d", "image.resize2d", None),
        ("nn.sigmoid", "sigmoid", None),
        ("sigmiod", "sigmoid", None),
    ],
)
def test_meant(written: str, meant: str, origin: str | None) -> None:
    suggestion = ops.suggest(written)
    assert (suggestion.name, suggestion.origin) == (meant, origin)
    assert meant in str(suggestion)


def test_an_operator_without_counterpart_says_what_to_write() -> None:
    suggestion = ops.suggest("HardSwish")
    assert suggestion.name is None
    assert "clip(add{x, 3}, 0, 6)" in str(suggestion)


def test_nothing_near_is_nothing() -> None:
    assert ops.suggest("qwxyzzy") == ops.Suggestion(None)
    assert str(ops.suggest("qwxyzzy")) == ""


def test_every_alias_leads_to_an_operator_or_says_why_not() -> None:
    for alias, suggestion in ops.aliases().items():
        assert ops.lookup(alias) is None, f"{alias} is an operator itself"
        if suggestion.name is None:
            assert suggestion.hint, alias
        else:
            assert ops.lookup(suggestion.name), f"{alias} -> {suggestion.name}"
