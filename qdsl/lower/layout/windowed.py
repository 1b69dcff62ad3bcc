"""Convolutions, pools, resizing and batch norm: the operators that ask for channels last."""

from __future__ import annotations

import numpy as np
from tvm import relax

from qdsl.lower.layout.calls import constant, op_name, rank_of, rebuilt
from qdsl.lower.layout.values import Values

CONVOLUTIONS = ("nn.conv1d", "nn.conv2d", "nn.conv2d_transpose")
POOLS = [
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.avg_pool1d",
    "nn.avg_pool2d",
    "nn.adaptive_avg_pool1d",
    "nn.adaptive_avg_pool2d",
]

_FIRST_TO_LAST = {"NCW": "NWC", "NCHW": "NHWC"}


def convolution(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Data channels last; the kernel stays as it is, for whoever packs it knows its layout."""
    layout = _FIRST_TO_LAST.get(str(call.attrs.data_layout))
    if layout is None or str(call.attrs.out_layout) not in ("", str(call.attrs.data_layout)):
        return False
    if op_name(call) == "nn.conv2d_transpose" and not _has_kernel(call, values):
        return False
    arguments = [values.last(call.args[0]), values.new(call.args[1])]
    made = rebuilt(call, arguments, data_layout=layout, out_layout=layout)
    values.bind_last(variable, made)
    return True


def _has_kernel(call: relax.Call, values: Values) -> bool:
    """Whether a kernel of ours will take a transposed convolution; TVM's own lowering knows NCHW only."""
    return int(call.attrs.groups) == 1 and constant(values.defined(call.args[1])) is not None


def pool(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Any pool."""
    layout = _FIRST_TO_LAST.get(str(call.attrs.layout))
    if layout is None or str(call.attrs.out_layout) not in ("", str(call.attrs.layout)):
        return False
    values.bind_last(variable, rebuilt(call, [values.last(call.args[0])], layout=layout, out_layout=layout))
    return True


def resize(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """resize2d, where its operand is channels last already."""
    if str(call.attrs.layout) != "NCHW" or not values.is_last(call.args[0]):
        return False
    arguments = [values.last(call.args[0]), *call.args[1:]]
    values.bind_last(variable, rebuilt(call, arguments, layout="NHWC"))
    return True


def batch_norm(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """In inference with constant statistics: y = x * a + b, a = gamma / sqrt(var + eps), b = beta - mean * a.

    Done in any layout, so that what follows the convolution is a multiply and an add along its channels.
    """
    found = [constant(argument) for argument in call.args[1:]]
    parameters = [array for array in found if array is not None]
    if call.attrs.training or len(parameters) != len(found):
        return False
    gamma, beta, mean, variance = (np.asarray(p, np.float64) for p in parameters)
    gain = (gamma if call.attrs.scale else 1.0) / np.sqrt(variance + float(call.attrs.epsilon))
    offset = (beta if call.attrs.center else 0.0) - mean * gain
    data, rank = call.args[0], rank_of(call)
    rank = rank_of(data)
    is_last = values.is_last(data) and int(call.attrs.axis) % rank == 1
    axis = rank - 1 if is_last else int(call.attrs.axis) % rank
    shape = (-1,) + (1,) * (rank - 1 - axis)
    operand = values.last(data) if is_last else values.new(data)
    dtype = parameters[0].dtype
    scaled = values.emit(relax.op.multiply(operand, relax.const(gain.astype(dtype).reshape(shape))))
    moved = values.emit(relax.op.add(scaled, relax.const(offset.astype(dtype).reshape(shape))))
    values.set_items(variable, [(moved, is_last), (call.args[3], False), (call.args[4], False)])
    return True
