"""How to look at a Relax expression: its constant, number, shape, dtype and attributes; and how to make a constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm
from numpy.typing import ArrayLike
from tvm import ir, relax

DTYPES = frozenset(
    {
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "bfloat16",
    }
)  # fmt: skip
"""Element types that compile."""


def constant(value: ArrayLike, dtype: str | None = None) -> relax.Expr:
    """A constant of exactly this shape and dtype; `relax.const` would narrow 64-bit numbers to 32."""
    array = np.asarray(value, dtype=dtype, order="C")
    return relax.const(tvm.runtime.tensor(array), str(array.dtype))


def array_of(expr: object) -> np.ndarray | None:
    """The array of a constant, or None."""
    return expr.value.numpy() if isinstance(expr, ir.GenericConst) else None


def scalar_of(expr: object) -> float | None:
    """The number in a one-element constant or a number operand, or None."""
    array = array_of(expr)
    if array is not None:
        return float(array.reshape(-1)[0]) if array.size == 1 else None
    value = getattr(expr, "value", None)
    return float(value) if isinstance(value, int | float) else None


def shape_of(expr: relax.Expr) -> tuple[int, ...] | None:
    """The shape of a tensor whose every dimension is a number, or None."""
    shape = getattr(expr.ty, "shape", None)
    if not isinstance(shape, relax.ShapeExpr) or not all(hasattr(dim, "value") for dim in shape.values):
        return None
    return tuple(int(dim.value) for dim in shape.values)


def dtype_of(expr: relax.Expr) -> str:
    return str(expr.ty.dtype)


def is_float(expr: relax.Expr) -> bool:
    return dtype_of(expr).startswith("float")


def operator_name(call: relax.Call) -> str:
    """'nn.conv2d' for a call of relax.nn.conv2d, '' for a call of a function."""
    return call.op.name.removeprefix("relax.") if isinstance(call.op, ir.Op) else ""


def attributes_of(call: relax.Call) -> dict[str, Any]:
    """The attributes of a call by name, numbers and tuples of numbers as Python's own."""
    if call.attrs is None:
        return {}
    fields = type(call.attrs).__tvm_ffi_type_info__.fields
    return {field.name: _plain(getattr(call.attrs, field.name)) for field in fields}


def _plain(value: Any) -> Any:
    if isinstance(value, ir.Expr) and hasattr(value, "value"):
        return value.value
    if isinstance(value, ir.Array | tuple | list):
        return tuple(_plain(item) for item in value)
    return value
