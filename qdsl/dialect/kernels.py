"""The pieces that the kernels share: reading per channel, clamping, narrowing. All of them are tirx expressions.

A scale is always a tensor and a zero point is one unless it is 0, so that layers of equal shape share one kernel
whatever their numbers; the bounds of a format are literals, being the same for every tensor of the format.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tvm import relax, te, tirx
from tvm.ir import Expr, GenericConst

from qdsl.numerics.rounding import float32_bounds

Index = tuple[Expr, ...]


def elementwise(x: te.Tensor, name: str, code: Callable[[Index], Expr]) -> te.Tensor:
    """One te.compute over the shape of x, which FuseOps takes into its neighbours."""
    return te.compute(x.shape, lambda *index: code(tuple(index)), name=name)


def along(parameter: te.Tensor, index: Index, axis: int | None) -> Expr:
    """The element of a per-tensor () or per-channel (C,) parameter that belongs to `index`."""
    if len(parameter.shape) == 0:
        return parameter[()]
    if axis is None or _is_one(parameter.shape[0]):
        return parameter[0]
    return parameter[index[axis]]


def broadcast(parameter: te.Tensor, index: Index) -> Expr:
    """The element of a parameter that broadcasts (aligned to the right) against a tensor read at `index`."""
    tail = index[len(index) - len(parameter.shape) :]
    return parameter[tuple(0 if _is_one(dim) else i for dim, i in zip(parameter.shape, tail, strict=True))]


def _is_one(dim: Expr) -> bool:
    return isinstance(dim, tirx.IntImm) and dim.value == 1


def optional(number: int, dtype: str) -> list[GenericConst]:
    """A zero point as an operand of a kernel: a scalar tensor, or nothing when it is 0."""
    return [relax.const(np.asarray(number, dtype), dtype)] if number else []


def centered(x: te.Tensor, index: Index, zero: te.Tensor | None) -> Expr:
    """x - zero in an integer type that holds it: int32 for codes up to 16 bits, int64 for int32 with a zero point."""
    wide = x[index].astype("int32")
    if zero is None:
        return wide
    dtype = "int64" if str(x.dtype) == "int32" else "int32"
    return wide.astype(dtype) - zero[()].astype(dtype)


def rounded(position: Expr, zero: te.Tensor | None, low: int, high: int) -> Expr:
    """A float32 position on the code line to a whole code, still float32: round half to even, add zero, saturate."""
    code = tirx.nearbyint(position)
    if zero is not None:
        code = code + zero[()]
    floor, ceiling = (tirx.const(float(bound), "float32") for bound in float32_bounds(low, high))
    return te.max(te.min(code, ceiling), floor)


def narrowed(position: Expr, zero: te.Tensor | None, dtype: str, low: int, high: int) -> Expr:
    """A float32 position on the code line to a code of `dtype`: `rounded`, then converted."""
    return rounded(position, zero, low, high).astype("int32").astype(dtype)


def saturated(code: Expr, zero: te.Tensor | None, dtype: str, low: int, high: int) -> Expr:
    """An integer without zero point to a code: add the zero point (int64), clamp into [low, high], convert."""
    total = code if zero is None else code.astype("int64") + zero[()]
    wide = str(total.ty.dtype)
    return te.max(te.min(total, tirx.const(high, wide)), tirx.const(low, wide)).astype(dtype)
