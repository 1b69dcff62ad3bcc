"""A convolution over channels-last data and packed weights, as a tensor expression in three steps.

    filled[n, y, x, c]  = data inside the image, the fill around it             (left out where nothing is added)
    acc[n, y, x, o]     = bias + sum over window and channels of filled * packed   (o padded to whole blocks)
    out[n, y, x, o]     = acc[n, y, x, o]                                       (the real channels and columns)

The steps carry marks that the schedules find them by. `acc` may be wider than `out`, so that tiles of columns need not
divide the image.
"""

from __future__ import annotations

from tvm import te, tirx

from qdsl.lower.kernels.extras import Extras
from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.kernels.window import Window

MARK = "qdsl.step"
"""The annotation on a step's block; its value is one of fill, accumulate, out, with the kind of kernel behind a dot."""
LANES = "qdsl.lanes"
"""The annotation on a fill: how many neighbouring channels are inside or outside the data together, at most 64."""

NOTHING = Extras()


def convolution(
    data: te.Tensor,
    packed: te.Tensor,
    window: Window,
    channels: int,
    *,
    kind: str,
    accumulator: str,
    columns: int | None = None,
    extras: Extras = NOTHING,
    split: int = 1,
) -> te.Tensor:
    """data (N, H, W, C), packed as in `packing.pack` -> (N, H', W', channels) of dtype `accumulator`.

    kind      names the schedule's way of computing: "fma" for floats, "vnni" for uint8 * int8, "int" for other integers
    columns   how many columns are accumulated; at least W'
    split     the number of groups; the blocks of `packed` are then those of the first group, of the second, ...
    """
    acc = accumulate(
        data, packed, window, kind=kind, accumulator=accumulator, columns=columns, extras=extras, split=split
    )
    batch, rows, _, padded = (int(extent) for extent in acc.shape)
    real, filled = channels // split, padded // split

    def result(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        if split > 1 and filled != real:
            o = tirx.floordiv(o, real) * filled + tirx.floormod(o, real)
        return extras.plus_bias(acc[n, y, x, o], o)

    shape = (batch, rows, window.outputs(*(int(extent) for extent in data.shape[1:3]))[1], channels)
    return te.compute(shape, result, name="out", attrs={MARK: f"out.{kind}"})


def accumulate(
    data: te.Tensor,
    packed: te.Tensor,
    window: Window,
    *,
    kind: str,
    accumulator: str,
    columns: int | None = None,
    extras: Extras = NOTHING,
    split: int = 1,
) -> te.Tensor:
    """The first two steps: sums (N, H', columns, blocks * lanes)."""
    batch, height, width, _ = (int(extent) for extent in data.shape)
    blocks, kernel_h, kernel_w, groups, lanes, depth = (int(extent) for extent in packed.shape)
    rows, real_columns = window.outputs(height, width)
    columns = columns or real_columns
    filled = fill_around(data, window, window.inputs(rows, columns), groups * depth, extras, kind, split)
    rh, rw = te.reduce_axis((0, kernel_h), "rh"), te.reduce_axis((0, kernel_w), "rw")
    rc, rd = te.reduce_axis((0, groups), "rc"), te.reduce_axis((0, depth), "rd")
    axes = [rh, rw, rc, rd] if depth > 1 else [rh, rw, rc]

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        place = (y * window.strides[0] + rh * window.dilation[0], x * window.strides[1] + rw * window.dilation[1])
        channel = rc * depth + rd if depth > 1 else rc
        if split > 1:
            channel = tirx.floordiv(o, blocks // split * lanes) * (groups * depth) + channel
        value = filled[n, place[0], place[1], channel]
        weight = packed[o // lanes, rh, rw, rc, o % lanes, rd if depth > 1 else 0]
        return te.sum(value.astype(accumulator) * weight.astype(accumulator), axis=axes)

    shape = (batch, rows, columns, blocks * lanes)
    return te.compute(shape, term, name="acc", attrs={MARK: f"accumulate.{kind}"})


def fill_around(
    data: te.Tensor,
    window: Window,
    extents: tuple[int, int],
    channels: int,
    extras: Extras,
    kind: str,
    split: int = 1,
) -> te.Tensor:
    """data (N, H, W, C) placed into (N, *extents, split * channels) behind the padding, the fill elsewhere."""
    batch, height, width, inputs = (int(extent) for extent in data.shape)
    top, left, _, _ = window.padding
    real = inputs // split
    if (top, left) == (0, 0) and extents[0] <= height and extents[1] <= width and channels == real:
        return data
    outside = extras.outside(str(data.dtype))
    whole = vectorizable(real, 64)

    def value(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.PrimExpr:
        inside = []
        if top or extents[0] > height:
            inside += [y >= top, y < height + top]
        if left or extents[1] > width:
            inside += [x >= left, x < width + left]
        if channels > real:
            within = tirx.floormod(c, channels) if split > 1 else c
            # Whole vectors of channels are inside or outside, and say so.
            inside.append(tirx.floordiv(within, whole) < real // whole)
            c = tirx.floordiv(c, channels) * real + within if split > 1 else c
        return tirx.if_then_else(tirx.all(*inside), data[n, y - top, x - left, c], outside)

    return te.compute(
        (batch, *extents, split * channels), value, name="filled", attrs={MARK: f"fill.{kind}", LANES: str(whole)}
    )
