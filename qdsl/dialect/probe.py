"""probe: a conversion whose numbers come with each run, so that one compiled module serves every choice of scales.

    y = x                                                            where scale is 0
    y = (clip(round_half_even(x / scale) + zero, low, high) - zero) * scale      elsewhere

It is `simulated_quantize` with scale and zero point as float32 operands, () or (channels,) along `axis` and ().
"""

from __future__ import annotations

from tvm import relax, te, tirx
from tvm.ir import Call, Expr, Span

from qdsl.dialect import kernels
from qdsl.dialect.checks import check_channels, check_codes, known_shape, tensor_type
from qdsl.dialect.operator import attributes, build, define


def probe(
    x: relax.Expr,
    scale: relax.Expr,
    zero: relax.Expr,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
    span: Span | None = None,
) -> Call:
    """float32 to float32 of the same shape; the identity where `scale` is 0. ValueError for codes that cannot be."""
    low, high = check_codes(dtype, low, high)
    return build("probe", [x, scale, zero], {"dtype": dtype, "low": low, "high": high, "axis": axis}, span)


def _infer(call: Call) -> relax.Type:
    x, scale = tensor_type(call, 0, ["float32"]), tensor_type(call, 1, ["float32"])
    tensor_type(call, 2, ["float32"])
    if scale.ndim:
        check_channels(call, x, 1, attributes(call).get("axis"))
    return x


def _legalize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    if not known_shape(call.args[0]):
        return call
    attrs = attributes(call)

    def kernel(x: te.Tensor, scale: te.Tensor, zero: te.Tensor) -> te.Tensor:
        def value(index: kernels.Index) -> Expr:
            step = kernels.along(scale, index, attrs.get("axis"))
            code = kernels.rounded(x[index] / step, zero, attrs["low"], attrs["high"])
            nothing = tirx.const(0.0, "float32")
            return tirx.Select(step == nothing, x[index], (code - zero[()]) * step)

        return kernels.elementwise(x, "probe", value)

    return builder.call_te(kernel, *call.args, primfunc_name_hint="probe")


define("probe", "a conversion whose scale and zero point are operands; the identity at scale 0", _infer, _legalize)
