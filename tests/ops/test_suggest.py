"""What somebody meant who wrote a name that is no operator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdsl import ops
from qdsl.ops.distance import distance


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


words = st.text("abc", max_size=6)


def slow_distance(a: str, b: str) -> int:
    """The textbook recursion, without a limit."""
    if not a or not b:
        return len(a) + len(b)
    best = min(slow_distance(a[1:], b) + 1, slow_distance(a, b[1:]) + 1, slow_distance(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, slow_distance(a[2:], b[2:]) + 1)
    return best


@given(words, words, st.integers(0, 6))
def test_distance_is_the_textbook_recursion_up_to_its_limit(a: str, b: str, limit: int) -> None:
    assert distance(a, b, limit) == min(slow_distance(a, b), limit + 1)
