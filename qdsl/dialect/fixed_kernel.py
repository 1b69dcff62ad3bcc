"""The kernel of a requantize in mode "fixed": a 31-bit multiplication in int64, or a shift where that is all.

    general     (x * multiplier + half) >> shift        half = 2^(shift - 1), see qdsl.numerics.fixed_point.multiply
    shift       ((x << left) + half) >> right           when every ratio of the tensor is a power of two

Both give the integers of `qdsl.numerics.fixed_point.multiply`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax, te, tirx
from tvm.ir import Call, Expr, GenericConst

from qdsl.dialect import kernels
from qdsl.dialect.checks import constant_array
from qdsl.numerics.fixed_point import FixedPoint


def form_of(call: Call) -> FixedPoint | None:
    """The fixed-point form that a call carries, or None when its operands are no constants."""
    multiplier, shift = constant_array(call.args[1]), constant_array(call.args[2])
    if multiplier is None or shift is None:
        return None
    return FixedPoint(multiplier.astype(np.int32), shift.astype(np.int32))


def shift_operands(form: FixedPoint) -> list[GenericConst]:
    """Left and right shifts of a form that `is_shift`, int32 of the form's shape."""
    left = form.left_shift
    return [relax.const(np.asarray(np.maximum(side, 0), np.int32)) for side in (left, -left)]


def shifted(code: Expr, index: kernels.Index, operands: list[te.Tensor], attrs: dict[str, Any]) -> Expr:
    """code * 2^(left - right) in int64, halves upwards or without `round_for_shift` towards minus infinity."""
    left, right = (kernels.along(operand, index, attrs.get("axis")).astype("int64") for operand in operands)
    wide = code.astype("int64") << left
    return (wide + _half(right)) >> right if attrs["round_for_shift"] else wide >> right


def multiplied(code: Expr, index: kernels.Index, operands: list[te.Tensor], attrs: dict[str, Any]) -> Expr:
    """code * multiplier / 2^shift in int64, rounded as `rounding` and `round_for_shift` say."""
    multiplier, shift = (kernels.along(operand, index, attrs.get("axis")).astype("int64") for operand in operands)
    product = code.astype("int64") * multiplier
    half, none = _half(shift), tirx.const(0, "int64")
    is_shift = (multiplier & (multiplier - 1)).equal(none)
    if attrs["rounding"] == "TONEAREST":
        away = tirx.all(product < none, tirx.Not(is_shift), shift > none)
        half = half - tirx.Select(away, tirx.const(1, "int64"), none)
    if not attrs["round_for_shift"]:
        half = tirx.Select(is_shift, none, half)
    return (product + half) >> shift


def _half(shift: Expr) -> Expr:
    """Half a unit of a right shift: 2^(shift - 1), 0 for no shift."""
    return (tirx.const(1, "int64") << shift) >> tirx.const(1, "int64")
