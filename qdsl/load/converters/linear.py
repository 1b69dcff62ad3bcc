"""Gemm, convolutions and normalizations."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax
from tvm.relax.frontend.onnx import onnx_frontend as frontend

from qdsl.load.converters.base import Attributes, Converter, known_shape
from qdsl.load.operands import array_of, constant, dtype_of


def gemm(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """alpha * a' @ b' + beta * c as matmul(a', w) + bias, the factors in the constants where b and c are constant."""
    a, b, c = inputs[0], inputs[1], inputs[2]
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    a = relax.op.permute_dims(a, [1, 0]) if attributes.get("transA", 0) else a
    b = relax.op.permute_dims(b, [1, 0]) if attributes.get("transB", 0) else b
    dtype = dtype_of(inputs[0])
    weight_is_constant = array_of(inputs[1]) is not None
    if alpha != 1.0 and weight_is_constant:
        b = relax.op.multiply(b, constant(alpha, dtype))
    y = relax.op.matmul(a, b)
    if alpha != 1.0 and not weight_is_constant:
        y = relax.op.multiply(y, constant(alpha, dtype))
    if c is None or beta == 0.0:
        return y
    return relax.op.add(y, c if beta == 1.0 else relax.op.multiply(c, constant(beta, dtype)))


def batch_normalization(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """TVM's conversion, but for statistics per position (spatial=0, sets before 9), which nn.batch_norm cannot say.

    gain = gamma / sqrt(var + epsilon);  y = x * gain + (beta - mean * gain)
    """
    if attributes["tvm_custom"]["num_outputs"] > 1 and opset < 14:
        raise ValueError("it is in training mode; export the model for inference.")
    x, *parameters = inputs[:5]
    if len(known_shape(parameters[0])) == 1:
        return None
    arrays = [array_of(parameter) for parameter in parameters]
    if any(array is None for array in arrays):
        raise ValueError("it has statistics per position that are not constant.")
    gamma, beta, mean, var = (np.asarray(array, dtype=np.float64) for array in arrays)
    gain = gamma / np.sqrt(var + attributes.get("epsilon", 1e-5))
    dtype = dtype_of(x)
    return relax.op.add(relax.op.multiply(x, constant(gain, dtype)), constant(beta - mean * gain, dtype))


def conv(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """TVM's conversion with auto_pad as the convolution's own padding, where TVM pads the input beforehand.

    total = (ceil(size / stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, the odd one at the named end
    """
    mode = attributes.get("auto_pad", b"NOTSET")
    if mode not in (b"SAME_UPPER", b"SAME_LOWER"):
        return None
    sizes, kernel = known_shape(inputs[0])[2:], known_shape(inputs[1])[2:]
    ones = (1,) * len(sizes)
    stride, dilation = attributes.get("strides", ones), attributes.get("dilations", ones)
    small, large = [], []
    for axis, size in enumerate(sizes):
        reach = (-(-size // stride[axis]) - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] + 1
        total = max(reach - size, 0)
        small.append(total // 2)
        large.append(total - total // 2)
    told = {key: value for key, value in attributes.items() if key != "auto_pad"}
    told["pads"] = small + large if mode == b"SAME_UPPER" else large + small
    return frontend.Conv._impl_v11(builder, inputs, told, [{}, {}])


def conv_transpose(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """TVM's conversion with `output_shape`, which it ignores, turned into pads.

    total = stride * (size - 1) + output_padding + (kernel - 1) * dilation + 1 - wanted, split as auto_pad says;
    where total is negative, the end grows by output_padding instead.
    """
    wanted = attributes.get("output_shape")
    if not wanted:
        return None
    sizes, kernel = known_shape(inputs[0])[2:], known_shape(inputs[1])[2:]
    ones = (1,) * len(sizes)
    stride, dilation = attributes.get("strides", ones), attributes.get("dilations", ones)
    extra = list(attributes.get("output_padding", (0,) * len(sizes)))
    pads = []
    for axis, size in enumerate(sizes):
        whole = stride[axis] * (size - 1) + extra[axis] + (kernel[axis] - 1) * dilation[axis] + 1
        total = whole - wanted[len(wanted) - len(sizes) + axis]
        extra[axis] += max(-total, 0)
        total = max(total, 0)
        first = total - total // 2 if attributes.get("auto_pad", b"NOTSET") != b"SAME_UPPER" else total // 2
        pads.append((first, total - first))
    told = {key: value for key, value in attributes.items() if key not in ("output_shape", "auto_pad")}
    told["pads"] = [before for before, _ in pads] + [after for _, after in pads]
    told["output_padding"] = extra
    return frontend.ConvTranspose._impl_v1(builder, inputs, told, [{}, {}])


def lp_normalization(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """x / ||x|| along one axis, in the 1-norm or the 2-norm, 0 where x is; TVM has no conversion."""
    x, axis = inputs[0], attributes.get("axis", -1)
    if attributes.get("p", 2) == 1:
        norm = relax.op.sum(relax.op.abs(x), axis=[axis], keepdims=True)
    else:
        norm = relax.op.sqrt(relax.op.sum(relax.op.multiply(x, x), axis=[axis], keepdims=True))
    least = constant(np.finfo(dtype_of(x)).tiny, dtype_of(x))
    return relax.op.divide(x, relax.op.maximum(norm, least))


CONVERTERS: dict[str, Converter] = {
    "Gemm": gemm,
    "BatchNormalization": batch_normalization,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "LpNormalization": lp_normalization,
}
