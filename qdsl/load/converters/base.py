"""What converters share: the shape they have, and how they look at their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from tvm import ir, relax

Attributes = Mapping[str, Any]
Converter = Callable[[relax.BlockBuilder, Any, Attributes, int], Any]


def numpy_of(expr: object) -> np.ndarray | None:
    """The array of a constant operand, or None."""
    return expr.value.numpy() if isinstance(expr, ir.GenericConst) else None


def scalar_of(expr: object) -> float | None:
    """The number in a one-element constant operand, or None."""
    array = numpy_of(expr)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None


def shape_of(expr: relax.Expr) -> tuple[int, ...]:
    """The static shape of a tensor.

    Raises:
        ValueError: where a dimension is not known.
    """
    dims = expr.ty.shape
    if dims is None or not all(hasattr(dim, "value") for dim in dims):
        raise ValueError("the shape of its input is not known before the model runs.")
    return tuple(int(dim.value) for dim in dims)


def dtype_of(expr: relax.Expr) -> str:
    return str(expr.ty.dtype)


def const(value: object, dtype: str) -> relax.Expr:
    return relax.const(np.asarray(value, dtype=dtype))
