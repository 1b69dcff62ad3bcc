"""quantize and dequantize: the edges between float32 and integers.

    quantize    code = clip(round_half_even(x / scale) + zero, low, high)
    dequantize  real = (code - zero) * scale

The reference, with what saturates and what NaN becomes, is `qdsl.numerics.quantize`.
"""

from __future__ import annotations

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
    known_shape,
    scale_constant,
    storage,
    tensor_type,
)
from qdsl.dialect.operator import attributes, build, define


def quantize(
    x: relax.Expr,
    scale: ArrayLike,
    zero: int,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
    span: Span | None = None,
) -> Call:
    """float32 of any shape to codes of `dtype`: clip(round_half_even(x / scale) + zero, low, high).

    `scale` is () or (channels,) along `axis`. ValueError for a scale, zero point or range that cannot be.
    """
    low, high = check_codes(dtype, low, high)
    axis = check_axis(np.asarray(scale), axis, "scale")
    attrs = {"zero": check_zero(zero), "dtype": dtype, "low": low, "high": high, "axis": axis}
    return build("quantize", [x, scale_constant(scale, "scale")], attrs, span)


def dequantize(
    x: relax.Expr, scale: ArrayLike, zero: int, *, axis: int | None = None, span: Span | None = None
) -> Call:
    """Codes of any integer dtype to float32: (x - zero) * scale; `scale` as in `quantize`."""
    axis = check_axis(np.asarray(scale), axis, "scale")
    return build("dequantize", [x, scale_constant(scale, "scale")], {"zero": check_zero(zero), "axis": axis}, span)


def _infer_quantize(call: Call) -> relax.Type:
    x, attrs = tensor_type(call, 0, ["float32"]), attributes(call)
    check_channels(call, x, 1, attrs.get("axis"))
    return with_dtype(x, storage(str(attrs["dtype"])))


def _infer_dequantize(call: Call) -> relax.Type:
    x = tensor_type(call, 0, INTEGERS)
    check_channels(call, x, 1, attributes(call).get("axis"))
    return with_dtype(x, "float32")


def with_dtype(ty: relax.TensorType, dtype: str) -> relax.TensorType:
    """The same shape (known, symbolic, or only its rank) in another dtype."""
    if ty.shape is not None:
        return relax.TensorType(ty.shape, dtype)
    return relax.TensorType(dtype=dtype, ndim=ty.ndim)


def _legalize_quantize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    if not known_shape(call.args[0]):
        return call
    attrs = attributes(call)
    dtype, axis = storage(attrs["dtype"]), attrs.get("axis")

    def kernel(x: te.Tensor, scale: te.Tensor, zero: te.Tensor | None = None) -> te.Tensor:
        def code(index: kernels.Index) -> Expr:
            position = x[index] / kernels.along(scale, index, axis)
            return kernels.narrowed(position, zero, dtype, attrs["low"], attrs["high"])

        return kernels.elementwise(x, "quantize", code)

    zero = kernels.optional(attrs["zero"], "float32")
    return builder.call_te(kernel, *call.args, *zero, primfunc_name_hint="quantize")


def _legalize_dequantize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    if not known_shape(call.args[0]):
        return call
    attrs = attributes(call)

    def kernel(x: te.Tensor, scale: te.Tensor, zero: te.Tensor | None = None) -> te.Tensor:
        def real(index: kernels.Index) -> Expr:
            code = kernels.centered(x, index, zero)
            return code.astype("float32") * kernels.along(scale, index, attrs.get("axis"))

        return kernels.elementwise(x, "dequantize", real)

    zero = kernels.optional(attrs["zero"], "int32")
    return builder.call_te(kernel, *call.args, *zero, primfunc_name_hint="dequantize")


define("quantize", "float32 to codes: clip(round(x / scale) + zero, low, high)", _infer_quantize, _legalize_quantize)
define("dequantize", "codes to float32: (x - zero) * scale", _infer_dequantize, _legalize_dequantize)
