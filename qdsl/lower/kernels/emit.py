"""Calls of the kernels: weights packed, tensor expressions made, one-dimensional data given a height."""

from __future__ import annotations

import math

from tvm import relax

from qdsl.lower.kernels.choose import Choice
from qdsl.lower.kernels.conv import convolution
from qdsl.lower.kernels.convolution import Convolution
from qdsl.lower.kernels.depthwise import depthwise, depthwise_taps, pack_depthwise, pack_taps
from qdsl.lower.kernels.packing import pack
from qdsl.lower.kernels.product import product
from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.kernels.transposed import Phases, transposed
from qdsl.lower.layout.calls import fixed_shape, shape_of
from qdsl.lower.rewrite import Rewriting

_ANCHOR = {"op_pattern": 4}
"""TVM's number for 'a reduction that elementwise operators may follow inside the same kernel'."""

_ALONE = {"op_pattern": 8}
"""TVM's number for 'nothing may join this kernel': what follows it is better off vectorised by itself."""


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


def takes_taps(read: Convolution, choice: Choice) -> bool:
    """Whether a depthwise convolution is computed four window rows at once."""
    one_each = read.kernel.shape[0] == read.data_shape[3]
    return choice.kind == "vnni" and one_each and read.window.dilation == (1, 1) and read.window.kernel[0] > 1


def _depthwise(
    data: relax.Expr, padding: list[relax.Expr], read: Convolution, choice: Choice, rewriting: Rewriting
) -> relax.Call:
    if takes_taps(read, choice):
        return rewriting.builder.call_te(
            lambda x, w, *fill: depthwise_taps(x, w, read.window, fill=_only(fill)),
            data,
            relax.const(pack_taps(read.kernel, choice.lanes)),
            *padding,
            primfunc_name_hint="depthwise",
            primfunc_attrs=_ANCHOR,
        )
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


def emit_transposed(
    data: relax.Expr,
    zero: int,
    read: Convolution,
    phases: Phases,
    choice: Choice,
    call: relax.Call,
    rewriting: Rewriting,
) -> relax.Expr:
    """What computes the transposed convolution `call`, made of `read`, on the new `data` of zero point `zero`.

    What the zero point changes differs from phase to phase of the output, so it is added inside the kernel.
    """
    tile = read.tile(choice)
    columns = read.window.outputs(*read.data_shape[1:3])[1]
    extras = [relax.const(zero, str(data.ty.dtype.dtype)), relax.const(read.correction(zero))] if zero else []
    whole = fixed_shape(call)[1:3] == phases.outputs
    follows = whole and vectorizable(phases.channels, choice.lanes) >= 4
    made = rewriting.builder.call_te(
        lambda x, w, *extra: transposed(
            x,
            w,
            phases,
            kind=f"{choice.kind}.{tile}",
            accumulator=choice.accumulator,
            columns=-(-columns // tile.columns) * tile.columns,
            fill=extra[0] if extra else None,
            offset=extra[1] if extra else None,
        ),
        data,
        relax.const(pack(read.kernel, choice.lanes, choice.depth)),
        *extras,
        primfunc_name_hint="conv_transposed",
        primfunc_attrs=_ANCHOR if follows else _ALONE,
    )
    return made if whole else relax.op.strided_slice(rewriting.emit(made), [1, 2], [0, 0], fixed_shape(call)[1:3])


def _only(items: tuple[object, ...]) -> object | None:
    return items[0] if items else None
