"""The door does not matter: a Relax module comes out as the ONNX file does that it was imported from."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tvm import ir, relax
from tvm.relax.frontend.onnx import from_onnx
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

from qdsl.errors import ModelError
from qdsl.load import load_model

from . import cases, cases_moves, cases_pads
from .cases import Case
from .models import bindings, feeds_for, operators, reference, run

IMPORTED = [
    case
    for case in [*cases.CASES, *cases_moves.CASES, *cases_pads.CASES]
    # What TVM's own importer reads, and reads right; it makes kernels of these pads, whose widths cannot be read back.
    if case.proto.opset_import[0].version >= 13
    and case.name
    not in {
        "pad reflect",
        "pad edge",
        "mirrored elements before a convolution stay",
        "pad by negative widths",
        "sizes that are computed",
    }
    and case.name
    not in {"conv transpose of a wanted size", "expanded by its schema", "unit length", "integer exponent"}
]


WRITTEN_OTHERWISE = {
    "bounds that depend on an input",
    "gemm transposed and scaled",
    "conv padded UPPER",
    "conv padded LOWER",
    "one slope",
}
"""What TVM's importer makes other operators of: equal values, but a door of its own."""


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in IMPORTED])
def test_imported_module(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = from_onnx(case.proto)
    own = load_model(case.proto)
    other = load_model(module)
    if case.name not in WRITTEN_OTHERWISE:
        assert operators(other) == operators(own)
    feeds = feeds_for(own)
    renamed = {there.name: feeds[here.name] for here, there in zip(own.inputs, other.inputs, strict=True)}
    expected = reference(case.proto, feeds) if case.value is None else [case.value(feeds["x"])]
    for got, wanted in zip(run(other, renamed), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_what_was_loaded_loads_as_itself() -> None:
    loaded = load_model(cases_moves.TRANSPOSES[0].proto)
    again = load_model(loaded.module)
    ir.assert_structural_equal(again.module, loaded.module)
    assert {operator.name for operator in again.operators} <= {operator.name for operator in loaded.operators}


@I.ir_module
class Unbound:
    @R.function
    def double(a: R.Tensor((1, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        b = R.add(a, a)
        return b

    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        y = R.matmul(x, w)
        z = R.nn.relu(y)
        return z


@I.ir_module
class Calls:
    @R.function
    def double(a: R.Tensor((1, 4), "float32")) -> R.Tensor((1, 4), "float32"):
        b = R.add(a, a)
        return b

    @R.function
    def main(x: R.Tensor((1, 4), "float32")) -> R.Tuple(R.Tensor((1, 4), "float32"), R.Tensor((1, 2), "float32")):
        cls = Calls
        y = cls.double(x)
        s = R.split(y, 2, axis=1)
        return (y, s[1])


@I.ir_module
class Branches:
    @R.function
    def main(x: R.Tensor((1, 4), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((1, 4), "float32"):
        if c:
            y = R.nn.relu(x)
            z = y
        else:
            y = R.negative(x)
            z = y
        return z


@I.ir_module
class Open:
    @R.function
    def main(x: R.Tensor(("n", "k"), "float32")) -> R.Tensor(("n * k",), "float32"):
        n = T.int64()
        k = T.int64()
        y = R.reshape(x, R.shape([n * k]))
        return y


WEIGHT = np.eye(4, dtype=np.float32) * 3


@pytest.mark.parametrize("params", [{"w": WEIGHT}, {"main": [WEIGHT]}])
def test_params(params: dict[str, object]) -> None:
    loaded = load_model(Unbound, params=params)
    assert [(spec.name, spec.shape, spec.dynamic_dims) for spec in loaded.inputs] == [("x", (1, 4), (0,))]
    assert operators(loaded) == {"matmul": 1, "nn.relu": 1}
    np.testing.assert_array_equal(bindings(loaded)[0].value.args[1].value.numpy(), WEIGHT)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"weight": WEIGHT}, "names 'weight', but 'main' has no such parameter"),
        ({"w": WEIGHT[:2]}, r"gives 'w' as float32 of shape \[2, 4\], and the module takes float32 of shape \[4, 4\]"),
        ({"w": WEIGHT.astype(np.float64)}, "as float64"),
    ],
)
def test_params_that_do_not_fit(params: dict[str, object], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        load_model(Unbound, params=params)


def test_functions_are_put_in_place_of_their_calls() -> None:
    loaded = load_model(Calls)
    assert [var.name_hint for var in loaded.module.functions] == ["main"]
    assert operators(loaded) == {"add": 1, "split": 1}
    assert len(loaded.outputs) == 2
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    doubled, half = run(loaded, {"x": x})
    np.testing.assert_array_equal(doubled, 2 * x)
    np.testing.assert_array_equal(half, 2 * x[:, 2:])


def test_open_sizes() -> None:
    loaded = load_model(Open, shapes={"x": (2, 3)})
    relax.analysis.well_formed(loaded.module)
    assert [int(dim) for dim in loaded.module["main"].ret_ty.shape] == [6]
    with pytest.raises(ModelError, match=r"leaves dimension 1 open; say the size with --shape x=1,\?"):
        load_model(Open)


def test_branches_are_refused() -> None:
    with pytest.raises(ModelError, match="depends on a condition"):
        load_model(Branches)


def test_no_function() -> None:
    with pytest.raises(ModelError, match="has no Relax function"):
        load_model(ir.IRModule())


def test_norm_as_a_node_or_folded_beforehand_is_the_callers_choice() -> None:
    """Loading never folds a norm itself: rules do, and the report says so."""
    norm = next(case for case in cases.LINEAR if case.name == "batch norm stays")
    loaded = load_model(norm.proto)
    (call, item) = bindings(loaded)
    assert call.value.op.name == "relax.nn.batch_norm"
    assert not call.value.attrs.training
    assert item.value.index == 0
    assert all(not isinstance(argument, relax.Var) for argument in call.value.args[1:])
