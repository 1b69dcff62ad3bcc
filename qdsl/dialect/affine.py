"""affine: an integer operand scaled and shifted by real numbers that may differ per element.

    code = clip(round_half_even(float32(x - zero_in) * gain + offset) + zero_out, low, high)

The builders `affine(x, gain, offset)` of the rule language come here with the scales already inside gain and offset.
gain may be negative; both broadcast against x, aligned to the right. On targets with FMA the product is not rounded
before the sum: the reference `qdsl.numerics.affine` has both forms and says how far apart they can be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from tvm import relax, te, tirx
from tvm.ir import Call, Expr, Span

from qdsl.dialect import kernels
from qdsl.dialect.checks import (
    INTEGERS,
    check_codes,
    check_zero,
    constant_array,
    known_shape,
    storage,
    tensor_type,
)
from qdsl.dialect.operator import attributes, build, define
from qdsl.dialect.quantize import with_dtype


def affine(
    x: relax.Expr,
    gain: relax.Expr | ArrayLike,
    offset: relax.Expr | ArrayLike,
    zero_in: int,
    zero_out: int,
    *,
    dtype: str,
    low: int,
    high: int,
    span: Span | None = None,
) -> Call:
    """Codes of any integer dtype to codes of `dtype`: clip(round((x - zero_in) * gain + offset) + zero_out, low, high).

    gain and offset are float32 expressions or finite arrays (numbers) that broadcast against x without enlarging it;
    arrays become float32 constants. ValueError for arrays, zero points or a range that cannot be.
    """
    low, high = check_codes(dtype, low, high)
    zeros = {"zero_in": check_zero(zero_in), "zero_out": check_zero(zero_out)}
    operands = [x, _operand(gain, "gain"), _operand(offset, "offset")]
    return build("affine", operands, {**zeros, "dtype": dtype, "low": low, "high": high}, span)


def _operand(value: relax.Expr | ArrayLike, what: str) -> relax.Expr:
    if isinstance(value, relax.Expr):
        return value
    with np.errstate(over="ignore"):
        array = np.asarray(value, np.float64).astype(np.float32)
    if not bool(np.all(np.isfinite(array))):
        raise ValueError(f"the {what} of an affine is finite in float32, not {np.asarray(value)}")
    return relax.const(array)


def _infer(call: Call) -> relax.Type:
    x = tensor_type(call, 0, INTEGERS)
    for operand in (1, 2):
        _check_broadcast(call, x, tensor_type(call, operand, ["float32"]))
    return with_dtype(x, storage(str(attributes(call)["dtype"])))


def _check_broadcast(call: Call, x: relax.TensorType, other: relax.TensorType) -> None:
    """TypeError when `other` does not broadcast against x, or would enlarge it."""
    if not isinstance(x.shape, relax.ShapeExpr) or not isinstance(other.shape, relax.ShapeExpr):
        return
    dims, own = list(other.shape.values), list(x.shape.values)
    tail = own[len(own) - len(dims) :] if len(dims) <= len(own) else []
    fits = len(tail) == len(dims) and all(
        not isinstance(dim, tirx.IntImm) or int(dim) == 1 or not isinstance(o, tirx.IntImm) or int(dim) == int(o)
        for dim, o in zip(dims, tail, strict=True)
    )
    if not fits:
        raise TypeError(f"{call.op.name} reads a gain and an offset that broadcast against {x}, not {other}")


def _legalize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    x, gain, offset = call.args
    if not all(known_shape(operand) for operand in call.args):
        return call
    attrs = attributes(call)
    shift = constant_array(offset)
    offsets = [] if shift is not None and not np.any(shift) else [offset]
    zero_in = kernels.optional(attrs["zero_in"], "int32")
    zero_out = kernels.optional(attrs["zero_out"], "float32")

    def kernel(x: te.Tensor, gain: te.Tensor, *rest: te.Tensor) -> te.Tensor:
        given = iter(rest)
        offset, before, after = (next(given) if present else None for present in (offsets, zero_in, zero_out))

        def code(index: kernels.Index) -> Expr:
            position = kernels.centered(x, index, before).astype("float32") * kernels.broadcast(gain, index)
            if offset is not None:
                position = position + kernels.broadcast(offset, index)
            return kernels.narrowed(position, after, storage(attrs["dtype"]), attrs["low"], attrs["high"])

        return kernels.elementwise(x, "affine", code)

    return builder.call_te(kernel, x, gain, *offsets, *zero_in, *zero_out, primfunc_name_hint="affine")


define(
    "affine",
    "codes to codes: clip(round((x - zero_in) * gain + offset) + zero_out, low, high)",
    _infer,
    _legalize,
)
