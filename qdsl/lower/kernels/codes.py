"""quantize, requantize and affine as kernels compute them fastest, to the bit what `qdsl.numerics` defines.

The definition rounds, adds the zero point and clamps, all in float32. Clamping first and adding the zero point to the
integer gives the same code, and lets the processor round and convert in one instruction:

    clip(rhe(v) + z, low, high)  =  rhe(clip(v, low - z, high - z)) + z        for whole z, low, high below 2^22

The division x / s of quantize is a multiplication by r = float32(1 / s) and one correction with fused multiply-adds,
which gives the correctly rounded quotient (Markstein, 1990):

    q = x * r        q' = q + (x - q * s) * r
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax, te, tirx
from tvm.ir import Expr
from tvm.tirx.op import fma

from qdsl.lower.layout.calls import attribute_values, constant, shape_of
from qdsl.lower.needless import GREATEST, LEAST
from qdsl.lower.target import Target

Index = tuple[Any, ...]
_LARGEST = 1 << 22
_STORAGE = {"int4": "int8", "uint4": "uint8"}
_NORMAL = (2.0**-100, 2.0**100)
"""Scales between which no step of the division under- or overflows for positions that matter."""

Legalizer = Callable[[relax.BlockBuilder, relax.Call], relax.Expr]


def legalizers(target: Target) -> dict[str, Legalizer]:
    """For LegalizeOps: how calls of the dialect are lowered. What does not fit here is lowered as the dialect says."""
    fused = target.kernels != "portable"
    return {
        "relax.qdsl.quantize": lambda builder, call: _quantize(builder, call, fused),
        "relax.qdsl.requantize": _requantize,
    }


def _quantize(builder: relax.BlockBuilder, call: relax.Call, fused: bool) -> relax.Expr:
    code, scale = _Code.of(call), constant(call.args[1])
    if code is None or scale is None:
        return _as_defined(builder, call)
    fused = fused and bool(np.all((scale > _NORMAL[0]) & (scale < _NORMAL[1])))
    inverse = [relax.const(np.asarray(np.float32(1) / scale, np.float32))] if fused else []

    def kernel(x: te.Tensor, scale: te.Tensor, *rest: te.Tensor) -> te.Tensor:
        given = list(rest)
        reciprocal = given.pop(0) if fused else None

        def value(*index: Expr) -> Expr:
            s = code.along(scale, index)
            if reciprocal is None:
                return code.narrowed(x[index] / s, given)
            r = code.along(reciprocal, index)
            first = x[index] * r
            rest = fma(tirx.const(0.0, "float32") - first, s, x[index])
            return code.narrowed(fma(rest, r, first), given)

        return te.compute(x.shape, value, name="quantize")

    return builder.call_te(kernel, *call.args, *inverse, *code.zeros(), primfunc_name_hint="quantize")


def _requantize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    attrs = attribute_values(call)
    code, ratio = _Code.of(call), constant(call.args[1])
    if code is None or str(attrs["mode"]) != "float" or ratio is None or bool(np.all(ratio == 1)):
        return _as_defined(builder, call)
    zero_in = int(attrs["zero_in"])
    if zero_in and str(call.args[0].ty.dtype.dtype) == "int32":
        return _as_defined(builder, call)
    before = [relax.const(zero_in, "int32")] if zero_in else []
    clamps = code.clamps(attrs, zero_in, float(ratio.max()))

    def kernel(x: te.Tensor, ratio: te.Tensor, *rest: te.Tensor) -> te.Tensor:
        given = list(rest)
        away = given.pop(0) if before else None

        def value(*index: Expr) -> Expr:
            whole = x[index].astype("int32")
            centred = whole if away is None else whole - away[()]
            return code.narrowed(centred.astype("float32") * code.along(ratio, index), given, clamps)

        return te.compute(x.shape, value, name="requantize")

    return builder.call_te(kernel, *call.args, *before, *code.zeros(), primfunc_name_hint="requantize")


def _as_defined(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    return call.op.get_attr("FLegalize")(builder, call)


class _Code:
    """The format that a call narrows to."""

    def __init__(self, zero: int, low: int, high: int, dtype: str, axis: int | None) -> None:
        self.zero, self.low, self.high, self.dtype, self.axis = zero, low, high, dtype, axis

    @staticmethod
    def of(call: relax.Call) -> _Code | None:
        """The format of a quantize or requantize; None where clamping first would not be exact, or shapes are open."""
        attrs = attribute_values(call)
        zero = int(attrs.get("zero", attrs.get("zero_out", 0)))
        low, high, dtype = int(attrs["low"]), int(attrs["high"]), str(attrs["dtype"])
        if shape_of(call) is None or (zero and max(abs(low), abs(high), abs(zero)) > _LARGEST):
            return None
        floor, ceiling = (int(np.float32(bound)) for bound in (low, high))
        if floor < low or ceiling > high:
            return None
        axis = attrs.get("axis")
        return _Code(zero, low, high, _STORAGE.get(dtype, dtype), None if axis is None else int(axis))

    def zeros(self) -> list[relax.Expr]:
        """The zero point as an operand of a kernel, so that kernels differ by shape only; none where it is 0."""
        return [relax.const(self.zero, "int32")] if self.zero else []

    def along(self, parameter: te.Tensor, index: Index) -> Expr:
        """The element of a parameter () or (C,) that belongs to `index`."""
        if len(parameter.shape) == 0:
            return parameter[()]
        if self.axis is None or int(parameter.shape[0]) == 1:
            return parameter[0]
        return parameter[index[self.axis]]

    def clamps(self, attrs: dict[str, Any], zero_in: int, ratio: float) -> tuple[bool, bool]:
        """Whether codes can fall below low and above high, given the operand's bounds (attributes of the call)."""
        if LEAST not in attrs:
            return True, True
        # Rounding to float32, once for the integer and once for the product, moves a position by less than 2^-22 of it.
        least, greatest = (
            (int(attrs[name]) - zero_in) * ratio * (1 + 2.0**-20) + self.zero for name in (LEAST, GREATEST)
        )
        return min(least, self.zero) - 1 < self.low, max(greatest, self.zero) + 1 > self.high

    def narrowed(self, position: Expr, zeros: list[te.Tensor], clamps: tuple[bool, bool] = (True, True)) -> Expr:
        """A float32 position on the code line, as a code; `clamps` says which bounds it can pass."""
        low, high = (tirx.const(float(bound), "float32") for bound in (self.low, self.high))
        if zeros:
            zero = zeros[0][()].astype("float32")
            low, high = low - zero, high - zero
        if clamps[1]:
            position = te.min(position, high)
        if clamps[0]:
            position = te.max(position, low)
        code = tirx.nearbyint(position).astype("int32")
        if zeros:
            code = code + zeros[0][()]
        return code.astype(self.dtype)
