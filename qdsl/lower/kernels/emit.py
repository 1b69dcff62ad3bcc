"""Calls of the kernels: weights packed, tensor expressions made, one-dimensional data given a height."""

from __future__ import annotations

import math

from tvm import relax

from qdsl.lower.kernels.choose import Choice
from qdsl.lower.kernels.conv import convolution
from qdsl.lower.kernels.convolution import Convolution
from qdsl.lower.kernels.depthwise import depthwise, pack_depthwise
from qdsl.lower.kernels.packing import pack
from qdsl.lower.kernels.product import product
from qdsl.lower.layout.calls import shape_of
from qdsl.lower.rewrite import Rewriting

_ANCHOR = {"op_pattern": 4}
"""TVM's number for 'a reduction that elementwise operators may follow inside the same kernel'."""


def emit_kernel(
    data: relax.Expr, zero: int, read: Convolution, choice: Choice, call: relax.Call, rewriting: Rewriting
) -> relax.Expr:
    """What computes `read` on the new expression `data`, whose zero point is `zero`; of the shape of the old `call`."""
    shape = shape_of(call)
    assert shape is not None
    if read.is_product:
        return _product(data, read, choice, rewriting)
    if len(shape) == 3:
        data = rewriting.emit(relax.op.reshape(data, read.data_shape))
    padding = [relax.const(zero, str(data.ty.dtype.dtype))] if zero and any(read.window.padding) else []
    made = (_depthwise if read.is_depthwise else _windowed)(data, padding, read, choice, rewriting)
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


def _depthwise(
    data: relax.Expr, padding: list[relax.Expr], read: Convolution, choice: Choice, rewriting: Rewriting
) -> relax.Call:
    return rewriting.builder.call_te(
        lambda x, w, *fill: depthwise(x, w, read.window, accumulator=choice.accumulator, fill=_only(fill)),
        data,
        relax.const(pack_depthwise(read.kernel)),
        *padding,
        primfunc_name_hint="depthwise",
        primfunc_attrs=_ANCHOR,
    )


def _windowed(
    data: relax.Expr, padding: list[relax.Expr], read: Convolution, choice: Choice, rewriting: Rewriting
) -> relax.Call:
    read = read.merged(choice)
    tile = read.tile(choice)
    columns = read.window.outputs(*read.data_shape[1:3])[1]
    return rewriting.builder.call_te(
        lambda x, w, *fill: convolution(
            x,
            w,
            read.window,
            read.channels,
            kind=f"{choice.kind}.{tile}",
            accumulator=choice.accumulator,
            columns=-(-columns // tile.columns) * tile.columns,
            fill=_only(fill),
            split=read.groups,
        ),
        data,
        relax.const(pack(read.kernel, choice.lanes, choice.depth, read.groups)),
        *padding,
        primfunc_name_hint="conv",
        primfunc_attrs=_ANCHOR,
    )


def _only(items: tuple[object, ...]) -> object | None:
    return items[0] if items else None
