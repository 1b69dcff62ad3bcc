"""Relax modules run in numpy: float operators in float64, integers in int64 with every overflow an error, operators of
our own as `qdsl.numerics` defines them.

An oracle that is independent of TVM's kernels, and quick enough for many small networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect, numerics
from qdsl.match.attributes import attributes
from qdsl.match.graph import array_of, dtype_of, is_constant, number_of, operator_name, shape_of
from qdsl.numerics.quantize import spread
from qdsl.passes.rebuild import main_graph

from . import windows
from .functions import FUNCTIONS

Array = NDArray[Any]


def run(
    module: IRModule, inputs: Mapping[str, Array], force: Callable[[str, Any], Any] = lambda name, value: value
) -> dict[str, Array]:
    """Every value of `main` by its name, and the outputs as `output0`, `output1`, ... `force` may replace a value.

    Simulated int32 values are rounded to their codes too, which float32 could not do.
    """
    graph = main_graph(module)
    values: dict[relax.Var, Any] = {}
    for parameter in graph.function.params:
        array = np.asarray(inputs[str(parameter.name)])
        values[parameter] = array.astype(np.float64) if array.dtype.kind == "f" else array
    for binding in graph.bindings:
        values[binding.var] = force(str(binding.var.name), _value(binding.value, values))
    named = {str(var.name): value for var, value in values.items()}
    return named | {f"output{i}": values[output] for i, output in enumerate(graph.outputs)}


def outputs(module: IRModule, inputs: Mapping[str, Array]) -> list[Array]:
    found = run(module, inputs)
    return [found[f"output{i}"] for i in range(sum(name.startswith("output") and name[6:].isdigit() for name in found))]


def _value(expr: relax.Expr, values: Mapping[relax.Var, Any]) -> Any:
    if isinstance(expr, relax.Var):
        return values[expr]
    if is_constant(expr):
        array = array_of(expr)
        return array.astype(np.float64) if array.dtype.kind == "f" else array
    if isinstance(expr, relax.Tuple):
        return tuple(_value(f, values) for f in expr.fields)
    if isinstance(expr, relax.TupleGetItem):
        return _value(expr.tuple_value, values)[expr.index]
    if isinstance(expr, relax.ShapeExpr):
        return [int(d) for d in expr.values]
    if isinstance(expr, relax.Call):
        return _call(expr, values)
    return number_of(expr)


def _call(call: relax.Call, values: Mapping[relax.Var, Any]) -> Any:
    name = operator_name(call) or ""
    operands = [_value(a, values) for a in call.args]
    if dialect.is_call(call):
        return _ours(name.removeprefix("qdsl."), operands, dialect.attributes(call))
    operands = [_wide(o) for o in operands]
    attrs = attributes(call)
    if isinstance(call.ty, relax.TupleType):
        return tuple(
            _checked(r, t.dtype, shape_of_type(t))
            for r, t in zip(_apply(name, operands, attrs, ()), call.ty.fields, strict=True)
        )
    return _checked(_apply(name, operands, attrs, shape_of(call) or ()), dtype_of(call), shape_of(call))


def shape_of_type(type_: relax.TensorType) -> tuple[int, ...]:
    return tuple(int(d) for d in type_.shape.values)


def _apply(name: str, operands: list[Any], attrs: dict[str, Any], shape: tuple[int, ...]) -> Any:
    if name.startswith("nn.conv"):
        function: Callable[..., Array] = windows.conv_transpose if name.endswith("transpose") else windows.conv
        return function(operands[0], operands[1], attrs)
    if name.startswith(("nn.max_pool", "nn.avg_pool")):
        return windows.pool(operands[0], attrs, shape, name[3:6])
    if name.startswith("nn.adaptive_avg_pool"):
        return windows.adaptive_pool(operands[0], attrs, shape)
    return FUNCTIONS[name](*operands, **attrs)


def _wide(operand: Any) -> Any:
    if isinstance(operand, tuple):
        return tuple(_wide(o) for o in operand)
    return operand.astype(np.int64) if isinstance(operand, np.ndarray) and operand.dtype.kind in "iu" else operand


def _checked(array: Any, dtype: Any, shape: tuple[int, ...] | None) -> Array:
    """A result in its dtype; an integer that does not fit is an error, not a number that wrapped."""
    array = np.asarray(array)
    assert array.shape == shape, f"{array.shape} is not {shape}"
    dtype = np.dtype(str(dtype))
    if dtype.kind == "f":
        return array.astype(np.float64)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        assert array.size == 0 or (array.min() >= info.min and array.max() <= info.max), f"{dtype} overflows"
    return array.astype(dtype)


def _ours(name: str, operands: list[Any], attrs: dict[str, Any]) -> Any:
    numbers = {k: attrs[k] for k in ("dtype", "low", "high", "axis") if k in attrs}
    if name == "annotated":
        if len(operands) < 3 or "low" not in attrs:
            return operands[0]
        return _simulated(operands[0], operands[2], attrs["zero"], numbers)
    if name == "simulated_quantize":
        return operands[0] if len(operands) < 2 else _simulated(operands[0], operands[1], attrs["zero"], numbers)
    if name == "quantize":
        return numerics.quantize(operands[0], operands[1], attrs["zero"], **numbers)
    if name == "dequantize":
        scale = spread(operands[1], operands[0].ndim, attrs.get("axis"))
        return (operands[0].astype(np.int64) - attrs["zero"]) * scale
    if name == "requantize":
        if attrs["mode"] == "fixed":
            return _requantize_fixed(*operands, attrs)
        return numerics.requantize(operands[0], operands[1], attrs["zero_in"], attrs["zero_out"], **numbers)
    if name == "affine":
        return numerics.affine(*operands, attrs["zero_in"], attrs["zero_out"], **numbers)
    assert name == "lookup"
    return numerics.lookup(*operands)


def _requantize_fixed(x: Array, multiplier: Array, shift: Array, attrs: dict[str, Any]) -> Array:
    form = numerics.FixedPoint(*(spread(v, x.ndim, attrs.get("axis")) for v in (multiplier, shift)))
    code = numerics.multiply(x.astype(np.int64) - attrs["zero_in"], form, attrs["rounding"], attrs["round_for_shift"])
    return np.clip(code + attrs["zero_out"], attrs["low"], attrs["high"]).astype(numerics.storage(attrs["dtype"]))


def _simulated(x: Array, scale: Array, zero: int, numbers: dict[str, Any]) -> Array:
    if numbers["dtype"] != "int32":
        return numerics.simulated_quantize(x, scale, zero, **numbers).astype(np.float64)
    step = spread(scale, x.ndim, numbers.get("axis"))
    return (np.clip(np.round(x / step) + zero, numbers["low"], numbers["high"]) - zero) * step
