"""annotated and simulated_quantize: the marks that annotate leaves in a float32 module, readable when printed.

    annotated(y, (captures...))            this value is the result of a rule; identity on y
    simulated_quantize(x)                  here a conversion will stand; identity
    ... with a scale, codes up to 16 bits  y = (clip(round_half_even(x / scale) + zero, low, high) - zero) * scale
    ... a constant in wider codes          the same, computed while compiling (a bias on its accumulator)

Both read and yield float32, so a module with them runs at every stage: before calibration as the float model, after it
with the rounding errors of the integer model. Labels (scheme, symbol, rule, place in the rule file, ...) stay on the
call and print with it. The reference is `qdsl.numerics.simulated_quantize`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from tvm import relax, te
from tvm.ir import Call, Expr, GenericConst, Span

from qdsl.dialect import kernels
from qdsl.dialect.checks import (
    check_axis,
    check_channels,
    check_codes,
    check_zero,
    known_shape,
    scale_constant,
    tensor_type,
)
from qdsl.dialect.operator import Attribute, attributes, build, define
from qdsl.formats.format import STORAGE_BITS

MAX_SIMULATED_BITS = 16
"""Wider codes are simulated as the identity: float32 itself rounds 32-bit codes."""


def simulated_quantize(
    x: relax.Expr,
    scale: ArrayLike | None = None,
    zero: int | None = None,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
    span: Span | None = None,
    **labels: Attribute,
) -> Call:
    """float32 to float32 of the same shape: x with the rounding of a conversion, or x itself without a scale.

    `scale` is () or (channels,) along `axis`; `zero` defaults to 0. ValueError for numbers that cannot be.
    """
    low, high = check_codes(dtype, low, high)
    attrs = {"dtype": dtype, "low": low, "high": high, **_numbers(scale, zero, axis)}
    operands = [x] if scale is None else [x, scale_constant(scale, "scale")]
    return build("simulated_quantize", operands, {**labels, **attrs}, span)


def annotated(
    y: relax.Expr,
    captures: Sequence[relax.Expr],
    scale: ArrayLike | None = None,
    zero: int | None = None,
    *,
    dtype: str | None = None,
    low: int | None = None,
    high: int | None = None,
    axis: int | None = None,
    span: Span | None = None,
    **labels: Attribute,
) -> Call:
    """y (one float32 tensor) marked as the result of a rule, with the values its realize clause will read.

    Captures are any expressions: tensors, shapes, numbers. With a scale and a `dtype` of at most 16 bits, y is
    also rounded to its format. ValueError for numbers that cannot be.
    """
    codes: dict[str, Attribute] = {"dtype": dtype}
    if dtype is not None and low is not None and high is not None:
        low, high = check_codes(dtype, low, high)
        codes |= {"low": low, "high": high}
    operands = [y, relax.Tuple(list(captures))]
    if scale is not None:
        operands.append(scale_constant(scale, "scale"))
    return build("annotated", operands, {**labels, **codes, **_numbers(scale, zero, axis)}, span)


def captures_of(call: Call) -> list[relax.Expr]:
    """The captures of an `annotated` call, in the order in which they were given."""
    return list(call.args[1].fields)


def scale_of(call: Call) -> GenericConst | None:
    """The scale operand of an `annotated` or `simulated_quantize` call, None before calibration."""
    place = _scale_place(call)
    return call.args[place] if len(call.args) > place else None


def _scale_place(call: Call) -> int:
    return 2 if str(call.op.name).endswith("annotated") else 1


def _numbers(scale: ArrayLike | None, zero: int | None, axis: int | None) -> dict[str, Attribute]:
    if scale is None:
        return {"axis": axis}
    return {"zero": check_zero(zero or 0), "axis": check_axis(np.asarray(scale), axis, "scale")}


def _infer(call: Call) -> relax.Type:
    y = tensor_type(call, 0, ["float32"])
    place = _scale_place(call)
    if len(call.args) > place:
        axis = attributes(call).get("axis")
        check_channels(call, y, place, axis if tensor_type(call, place).ndim else None)
    return y


def _legalize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    x, scale, attrs = call.args[0], scale_of(call), attributes(call)
    if scale is None or not known_shape(x) or "low" not in attrs:
        return x
    if not _is_narrow(attrs):
        return _wide_constant(x, scale, attrs) if isinstance(x, GenericConst) else x
    axis = attrs.get("axis")

    def kernel(x: te.Tensor, scale: te.Tensor, zero: te.Tensor | None = None) -> te.Tensor:
        def real(index: kernels.Index) -> Expr:
            step = kernels.along(scale, index, axis)
            code = kernels.rounded(x[index] / step, zero, attrs["low"], attrs["high"])
            return (code if zero is None else code - zero[()]) * step

        return kernels.elementwise(x, "simulated_quantize", real)

    zero = kernels.optional(attrs["zero"], "float32")
    return builder.call_te(kernel, x, scale, *zero, primfunc_name_hint="simulated_quantize")


def _wide_constant(x: GenericConst, scale: GenericConst, attrs: dict[str, object]) -> GenericConst:
    """A constant in 32-bit codes (a bias on its accumulator), rounded to them here in float64."""
    array = np.asarray(x.value.numpy(), np.float64)
    step = np.asarray(scale.value.numpy(), np.float64)
    axis = attrs.get("axis")
    if step.ndim and isinstance(axis, int):
        step = step.reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return relax.const((np.round(array / step) * step).astype(np.float32))


def _is_narrow(attrs: dict[str, object]) -> bool:
    return STORAGE_BITS[str(attrs["dtype"])] <= MAX_SIMULATED_BITS


define("annotated", "the result of a rule, with what its realize clause reads; identity", _infer, _legalize)
define("simulated_quantize", "a conversion: rounded to its codes once it has a scale", _infer, _legalize)
