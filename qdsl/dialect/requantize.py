"""requantize: from one integer format to another.

    code = clip(round((x - zero_in) * ratio) + zero_out, low, high)        ratio = scale_in / scale_out

mode "float" multiplies in float32 and rounds half to even; mode "fixed" multiplies by a 31-bit integer in int64 and
rounds halves up (UPWARD) or away from zero (TONEAREST), and where every ratio is a power of two it only shifts. A
ratio of exactly 1 is integer arithmetic in either mode, and where it changes nothing it lowers to nothing.
The reference is `qdsl.numerics.requantize`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from tvm import relax, te
from tvm.ir import Call, Expr, Span

from qdsl.dialect import kernels
from qdsl.dialect.checks import (
    INTEGERS,
    check_axis,
    check_channels,
    check_codes,
    check_zero,
    constant_array,
    known_shape,
    scale_constant,
    storage,
    tensor_type,
)
from qdsl.dialect.fixed_kernel import form_of, multiplied, shift_operands, shifted
from qdsl.dialect.kernels import Index
from qdsl.dialect.operator import attributes, build, define
from qdsl.dialect.quantize import with_dtype
from qdsl.numerics.fixed_point import ROUNDINGS, fixed_point

MODES = ("float", "fixed")

Attributes = dict[str, Any]
Scaled = Callable[[Expr, Index, list[te.Tensor], Attributes], Expr]
"""(code, index, operands, attributes) -> the code times the ratio"""


def requantize(
    x: relax.Expr,
    ratio: ArrayLike,
    zero_in: int,
    zero_out: int,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
    mode: str = "float",
    rounding: str = "UPWARD",
    round_for_shift: bool = True,
    span: Span | None = None,
) -> Call:
    """Codes of any integer dtype to codes of `dtype`: clip(round((x - zero_in) * ratio) + zero_out, low, high).

    `ratio` is scale_in / scale_out, () or (channels,) along `axis`. The operands of the call are x and, in mode
    "float", the ratio as float32; in mode "fixed" a multiplier and a right shift, both int32. `rounding` and
    `round_for_shift` concern mode "fixed". ValueError for a ratio, zero point, range, mode or rounding that cannot be.
    """
    if mode not in MODES or rounding not in ROUNDINGS:
        raise ValueError(f"requantize is float or fixed, UPWARD or TONEAREST; not {mode!r}, {rounding!r}")
    low, high = check_codes(dtype, low, high)
    axis = check_axis(np.asarray(ratio), axis, "ratio")
    zeros = {"zero_in": check_zero(zero_in), "zero_out": check_zero(zero_out)}
    attrs = {**zeros, "dtype": dtype, "low": low, "high": high, "axis": axis, "mode": mode}
    if mode == "float":
        return build("requantize", [x, scale_constant(ratio, "ratio")], attrs, span)
    form = fixed_point(ratio)
    attrs |= {"rounding": rounding, "round_for_shift": round_for_shift}
    return build("requantize", [x, relax.const(form.multiplier), relax.const(form.shift)], attrs, span)


def _infer(call: Call) -> relax.Type:
    x, attrs = tensor_type(call, 0, INTEGERS), attributes(call)
    check_channels(call, x, 1, attrs.get("axis"))
    return with_dtype(x, storage(str(attrs["dtype"])))


def _legalize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    x = call.args[0]
    if not known_shape(x):
        return call
    attrs = attributes(call)
    scaled, operands = _way(call, attrs)
    if scaled is _unscaled and _changes_nothing(x, attrs):
        return x
    in_float = scaled is _in_float
    finish = kernels.narrowed if in_float else kernels.saturated
    zero_in = kernels.optional(attrs["zero_in"], "int32")
    zero_out = kernels.optional(attrs["zero_out"], "float32" if in_float else "int64")

    def kernel(x: te.Tensor, *rest: te.Tensor) -> te.Tensor:
        given = iter(rest)
        parameters = [next(given) for _ in operands]
        before, after = (next(given) if zero else None for zero in (zero_in, zero_out))

        def code(index: Index) -> Expr:
            value = scaled(kernels.centered(x, index, before), index, parameters, attrs)
            return finish(value, after, storage(attrs["dtype"]), attrs["low"], attrs["high"])

        return kernels.elementwise(x, "requantize", code)

    return builder.call_te(kernel, x, *operands, *zero_in, *zero_out, primfunc_name_hint="requantize")


def _way(call: Call, attrs: Attributes) -> tuple[Scaled, list[relax.Expr]]:
    """How to multiply by the ratio, and the operands that this takes."""
    if attrs["mode"] == "float":
        ratio = constant_array(call.args[1])
        unit = ratio is not None and bool(np.all(ratio == 1))
        return (_unscaled, []) if unit else (_in_float, [call.args[1]])
    form = form_of(call)
    if form is None or not form.is_shift:
        return multiplied, list(call.args[1:])
    return (shifted, shift_operands(form)) if np.any(form.left_shift) else (_unscaled, [])


def _unscaled(code: Expr, _index: Index, _operands: list[te.Tensor], _attrs: Attributes) -> Expr:
    return code


def _in_float(code: Expr, index: Index, operands: list[te.Tensor], attrs: Attributes) -> Expr:
    return code.astype("float32") * kernels.along(operands[0], index, attrs.get("axis"))


def _changes_nothing(x: relax.Expr, attrs: Attributes) -> bool:
    dtype = storage(attrs["dtype"])
    bounds = np.iinfo(dtype)
    whole = attrs["low"] == bounds.min and attrs["high"] == bounds.max
    return str(x.ty.dtype.dtype) == dtype and whole and attrs["zero_in"] == attrs["zero_out"]


define("requantize", "codes to codes: clip(round((x - zero_in) * ratio) + zero_out, low, high)", _infer, _legalize)
