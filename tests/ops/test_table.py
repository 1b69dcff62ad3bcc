"""The table of operators, and that it is TVM's registry."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from qdsl import ops


def test_table_is_the_registry_of_the_pinned_tvm() -> None:
    generate = pytest.importorskip("qdsl.ops.generate")
    kept = json.loads(generate.TABLE.read_text(encoding="utf-8"))
    fresh = json.loads(generate.as_text(generate.read_registry()))
    assert kept["tvm"] == fresh["tvm"], "another TVM: run python -m qdsl.ops.generate and read the difference"
    assert kept["operators"] == fresh["operators"], "run python -m qdsl.ops.generate and read the difference"


def test_every_registered_operator_is_in_the_table_or_left_out_for_a_reason() -> None:
    tvm = pytest.importorskip("tvm")
    from qdsl.ops.generate import is_excluded

    registered = {n.removeprefix("relax.") for n in tvm.ir.Op.list_op_names() if n.startswith("relax.")}
    assert {n for n in registered if not is_excluded(n)} == set(ops.names())


def test_looking_up_needs_no_tvm() -> None:
    code = "import sys; from qdsl import ops; ops.suggest('dense'); print('tvm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("name", "signature", "results"),
    [
        ("nn.conv2d", "nn.conv2d(data, weight)", 1),
        ("nn.batch_norm", "nn.batch_norm(data, gamma, beta, moving_mean, moving_var)", 3),
        ("nn.dropout", "nn.dropout(data)", 2),
        ("topk", "topk(data)", 2),
        ("split", "split(x)", None),
        ("concat", "concat([tensors...])", 1),
        ("strided_slice", "strided_slice(x, axes, begin, end, strides?)", 1),
        ("clip", "clip(x, min, max)", 1),
        ("where", "where(condition, x1, x2)", 1),
    ],
)
def test_signatures(name: str, signature: str, results: int | None) -> None:
    operator = ops.lookup(name)
    assert operator is not None
    assert (operator.signature, operator.results) == (signature, results)


@pytest.mark.parametrize(
    ("name", "attribute", "type_", "default"),
    [
        ("nn.conv2d", "strides", "int or ints", (1, 1)),
        ("nn.conv2d", "out_dtype", "dtype", None),
        ("nn.batch_norm", "training", "bool", True),
        ("nn.batch_norm", "epsilon", "float", 1e-05),
        ("permute_dims", "axes", "ints", None),
        ("nn.pad", "pad_mode", "str", "constant"),
        ("split", "indices_or_sections", "int or ints", None),
        ("mean", "axis", "int or ints", None),
    ],
)
def test_attributes(name: str, attribute: str, type_: str, default: object) -> None:
    operator = ops.lookup(name)
    assert operator is not None
    found = operator.attribute(attribute)
    assert found is not None
    assert (found.type, found.default) == (type_, default)


def test_operands_that_are_no_tensors_are_fields() -> None:
    operator = ops.lookup("strided_slice")
    assert operator is not None
    assert [o.name for o in operator.tensor_operands] == ["x"]
    assert set(operator.fields) == {"assume_inbound", "axes", "begin", "end", "strides"}


def test_the_number_of_results_follows_the_attributes() -> None:
    split, topk = ops.lookup("split"), ops.lookup("topk")
    assert split is not None
    assert topk is not None
    assert ops.result_count(split, {}) is None
    assert ops.result_count(split, {"indices_or_sections": 4}) == 4
    assert ops.result_count(split, {"indices_or_sections": (2, 5)}) == 3
    assert ops.result_count(topk, {}) == 2
    assert ops.result_count(topk, {"ret_type": "values"}) == 1


def test_unknown_names_are_none() -> None:
    assert ops.lookup("nn.conv2") is None
    assert ops.lookup("relax.add") is None
