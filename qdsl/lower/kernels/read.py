"""Reading convolutions and matrix products off Relax calls: geometry, weights, and the data before it was centred.

An integer operator reads its data as x - z, computed in 16 bits where z is not zero. The kernels read x itself, hold z
in the padding, and add what that changes, exactly, afterwards:

    sum (x - z) * w  =  sum x * w  -  z * sum w
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from tvm import relax

from qdsl.lower.kernels.convolution import Convolution
from qdsl.lower.kernels.packing import to_oihw
from qdsl.lower.kernels.transposed import Phases, dilated, phases
from qdsl.lower.kernels.window import Window
from qdsl.lower.layout.calls import constant, fixed_shape, op_name, shape_of
from qdsl.lower.rewrite import Rewriting


@dataclass(frozen=True)
class Reading:
    """A heavy call: what it reads, less its zero point, and what it computes."""

    data: relax.Expr
    """The new expression for the operand, before it was centred."""
    zero: int
    convolution: Convolution
    phases: Phases | None = None
    """Where a transposed convolution is meant: how it is made of `convolution`."""


def read_heavy(value: relax.Expr, rewriting: Rewriting) -> Reading | None:
    """The convolution or product with constant weights that `value` calls; None for anything else."""
    parts = read_transposed(value, rewriting)
    if parts is not None:
        shape = fixed_shape(value.args[0])
        found: Convolution | None = Convolution(parts.window, 1, parts.kernel, shape, dtype_of(value))
    else:
        found = read_convolution(value, rewriting) or read_product(value, rewriting)
    if found is None:
        return None
    data, zero = uncentred(value.args[0], rewriting)
    return Reading(data, zero, found, parts)


def uncentred(operand: relax.Expr, rewriting: Rewriting) -> tuple[relax.Expr, int]:
    """x and z, where the operand is x - z of an 8-bit x computed in more bits; else the operand and 0. x is new."""
    moved = rewriting.defined(operand)
    if op_name(moved) == "permute_dims":
        data, zero = uncentred(moved.args[0], rewriting)
        if zero:
            return rewriting.emit(relax.op.permute_dims(data, moved.attrs.axes)), zero
    if op_name(moved) != "subtract" or dtype_of(moved) not in ("int16", "int32"):
        return rewriting.new(operand), 0
    taken, widened = constant(rewriting.defined(moved.args[1])), rewriting.defined(moved.args[0])
    if taken is None or taken.size != 1 or op_name(widened) != "astype":
        return rewriting.new(operand), 0
    data = widened.args[0]
    if dtype_of(data) not in ("uint8", "int8"):
        return rewriting.new(operand), 0
    return rewriting.new(data), int(taken.reshape(()))


def read_product(value: relax.Expr, rewriting: Rewriting) -> Convolution | None:
    """The product of a tensor of any rank with constant weights (K, O), as a 1x1 convolution of rows; else None."""
    if op_name(value) != "matmul":
        return None
    assert isinstance(value, relax.Call)
    weights, shape = constant(rewriting.defined(value.args[1])), shape_of(value.args[0])
    if weights is None or weights.ndim != 2 or not shape or len(shape) < 2:
        return None
    kernel = np.ascontiguousarray(weights.T)[:, :, None, None]
    rows = math.prod(shape[:-1])
    return Convolution(Window((1, 1)), 1, kernel, (1, 1, rows, shape[-1]), dtype_of(value))


def read_convolution(value: relax.Expr, rewriting: Rewriting) -> Convolution | None:
    """The convolution that `value` calls, when it is channels last with constant weights; else None."""
    name = op_name(value)
    if name not in ("nn.conv1d", "nn.conv2d"):
        return None
    assert isinstance(value, relax.Call)
    attrs, weights = value.attrs, constant(rewriting.defined(value.args[1]))
    if weights is None or str(attrs.data_layout) not in ("NWC", "NHWC"):
        return None
    if str(attrs.out_layout) not in ("", str(attrs.data_layout)):
        return None
    if sorted(str(attrs.kernel_layout).replace("H", "")) != ["I", "O", "W"]:
        return None
    kernel = to_oihw(weights, str(attrs.kernel_layout))
    shape = fixed_shape(value.args[0])
    strides, dilation, padding = (
        [int(number) for number in numbers] for numbers in (attrs.strides, attrs.dilation, attrs.padding)
    )
    if name == "nn.conv1d":
        shape = (shape[0], 1, *shape[1:])
        strides, dilation, padding = [1, *strides], [1, *dilation], [0, padding[0], 0, padding[1]]
    window = Window(kernel.shape[2:], tuple(strides), tuple(padding), tuple(dilation))
    return Convolution(window, int(attrs.groups), kernel, shape, dtype_of(value))


def read_transposed(value: relax.Expr, rewriting: Rewriting) -> Phases | None:
    """The transposed convolution that `value` calls, when it is channels last with constant weights; else None."""
    if op_name(value) != "nn.conv2d_transpose":
        return None
    attrs, weights = value.attrs, constant(rewriting.defined(value.args[1]))
    if weights is None or int(attrs.groups) != 1 or str(attrs.data_layout) != "NHWC":
        return None
    if sorted(str(attrs.kernel_layout)) != ["H", "I", "O", "W"]:
        return None
    kernel = dilated(to_oihw(weights, str(attrs.kernel_layout)).swapaxes(0, 1), *(int(d) for d in attrs.dilation))
    strides, padding = (tuple(int(number) for number in numbers) for numbers in (attrs.strides, attrs.padding))
    image, outputs = fixed_shape(value.args[0])[1:3], fixed_shape(value)[1:3]
    return phases(kernel, strides, padding, image, outputs)


def dtype_of(value: relax.Expr) -> str:
    """The dtype of a tensor."""
    return str(value.ty.dtype.dtype)
