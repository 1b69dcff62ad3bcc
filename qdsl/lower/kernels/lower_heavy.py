"""The pass that turns convolutions with constant weights into kernels over packed weights.

It runs after the layout pass and before TVM's LegalizeOps, which lowers whatever is left. A call it has no kernel for
is left as it is.
"""

from __future__ import annotations

import math

import numpy as np
import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.kernels.choose import Choice, Convolution, choose, result_dtype
from qdsl.lower.kernels.conv import convolution
from qdsl.lower.kernels.depthwise import depthwise, pack_depthwise
from qdsl.lower.kernels.packing import pack, to_oihw
from qdsl.lower.kernels.product import product
from qdsl.lower.kernels.window import Window
from qdsl.lower.layout.calls import constant, op_name, shape_of
from qdsl.lower.rewrite import Rewriting, rewrite_main
from qdsl.lower.target import Target

_ANCHOR = {"op_pattern": 4}
"""TVM's number for 'a reduction that elementwise operators may follow inside the same kernel'."""


@tvm.transform.module_pass(opt_level=0, name="qdsl.LowerHeavy")
class LowerHeavy:
    """A pass over `main`; the module that is given is left alone."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        def step(variable: relax.Var, value: relax.Expr, rewriting: Rewriting) -> bool:
            read = read_convolution(value, rewriting) or read_product(value, rewriting)
            if read is None:
                return False
            choice = choose(self.target, _dtype(value.args[0]), str(read.kernel.dtype), read.out_dtype)
            if choice is None:
                return False
            rewriting.bind(variable, _lowered(value, read, choice, rewriting))
            return True

        return rewrite_main(module, step, Rewriting)


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
    return Convolution(Window((1, 1)), 1, kernel, (1, 1, rows, shape[-1]), result_dtype(value))


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
    shape = shape_of(value.args[0])
    assert shape is not None
    strides, dilation, padding = (
        [int(number) for number in numbers] for numbers in (attrs.strides, attrs.dilation, attrs.padding)
    )
    if name == "nn.conv1d":
        shape = (shape[0], 1, *shape[1:])
        strides, dilation, padding = [1, *strides], [1, *dilation], [0, padding[0], 0, padding[1]]
    window = Window(kernel.shape[2:], tuple(strides), tuple(padding), tuple(dilation))
    return Convolution(window, int(attrs.groups), kernel, shape, result_dtype(value))


def _lowered(call: relax.Call, read: Convolution, choice: Choice, rewriting: Rewriting) -> relax.Expr:
    data, shape = rewriting.new(call.args[0]), shape_of(call)
    assert shape is not None
    if read.is_product:
        return _product(data, read, choice, rewriting)
    if len(shape) == 3:
        data = rewriting.emit(relax.op.reshape(data, read.data_shape))
    made = (_depthwise if read.is_depthwise else _windowed)(data, read, choice, rewriting)
    return relax.op.reshape(rewriting.emit(made), shape) if len(shape) == 3 else made


def _product(data: relax.Expr, read: Convolution, choice: Choice, rewriting: Rewriting) -> relax.Call:
    tile = read.tile(choice)
    rows = math.prod(read.data_shape[:3])
    return rewriting.builder.call_te(
        lambda x, w: product(
            x,
            w,
            read.channels,
            kind=f"{choice.kind}.{tile}",
            accumulator=choice.accumulator,
            rows=-(-rows // tile.columns) * tile.columns,
        ),
        data,
        relax.const(pack(read.kernel, choice.lanes, choice.depth)),
        primfunc_name_hint="product",
        primfunc_attrs=_ANCHOR,
    )


def _depthwise(data: relax.Expr, read: Convolution, choice: Choice, rewriting: Rewriting) -> relax.Call:
    return rewriting.builder.call_te(
        lambda x, w: depthwise(x, w, read.window, accumulator=choice.accumulator),
        data,
        relax.const(pack_depthwise(read.kernel)),
        primfunc_name_hint="depthwise",
        primfunc_attrs=_ANCHOR,
    )


def _windowed(data: relax.Expr, read: Convolution, choice: Choice, rewriting: Rewriting) -> relax.Call:
    read = read.merged(choice)
    tile = read.tile(choice)
    columns = read.window.outputs(*read.data_shape[1:3])[1]
    return rewriting.builder.call_te(
        lambda x, w: convolution(
            x,
            w,
            read.window,
            read.channels,
            kind=f"{choice.kind}.{tile}",
            accumulator=choice.accumulator,
            columns=-(-columns // tile.columns) * tile.columns,
            split=read.groups,
        ),
        data,
        relax.const(pack(read.kernel, choice.lanes, choice.depth, read.groups)),
        primfunc_name_hint="conv",
        primfunc_attrs=_ANCHOR,
    )


def _dtype(operand: relax.Expr) -> str:
    return str(operand.ty.dtype.dtype)
