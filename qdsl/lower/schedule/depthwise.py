"""Depthwise convolutions: channels in vector registers, a tile of columns at once, borders made row tile by row tile.

parallel over images and tiles of rows (and blocks of channels, where there are many)
  the filled rows that the tile reads (left out where there is no border)
  rows, channel blocks, tiles of columns
    sums = 0; over the window, unrolled: sums += data * weights; epilogue
"""

from __future__ import annotations

from tvm import s_tir, tirx

from qdsl.lower.kernels.depthwise import KIND
from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.steps import (
    Steps,
    extent,
    find_steps,
    is_reduction,
    largest_divisor,
)
from qdsl.lower.target import Target

_WIDEST = 7
"""Columns of a tile."""
_ROWS = 14
"""Rows of a tile, so that the filled rows stay in the first-level cache."""
_UNROLLED = 25
"""Places of the window up to which it is unrolled."""


def schedule_depthwise(function: tirx.PrimFunc, target: Target) -> s_tir.Schedule | None:
    """A schedule for a fused depthwise convolution; None when the function is none."""
    schedule = s_tir.Schedule(function)
    steps = find_steps(schedule)
    if steps is None or steps.kind != KIND:
        return None
    if any(is_reduction(schedule, block) for block in (*steps.before, *steps.after)):
        return None
    for block in (*steps.before, *steps.after[:-1]):
        schedule.compute_inline(block)
    _tile(schedule, steps, target)
    return schedule


def _tile(schedule: s_tir.Schedule, steps: Steps, target: Target) -> None:
    batch, row, column, channel = schedule.get_loops(steps.after[-1])
    rows, columns, channels = (extent(schedule, loop) for loop in (row, column, channel))
    lanes = vectorizable(channels, target.float_lanes)
    blocks = largest_divisor(channels // lanes, 2)
    row_out, row_in = schedule.split(row, [None, largest_divisor(rows, max(2, min(_ROWS, rows // 2)))])
    column_out, column_in = schedule.split(column, [None, largest_divisor(columns, _WIDEST)])
    channel_out, channel_part, lane = schedule.split(channel, [None, blocks, lanes])
    many = extent(schedule, channel_out) * blocks * lanes >= 512
    if many:
        chunk, channel_out = schedule.split(channel_out, [largest_divisor(channels // lanes // blocks, 8), None])
        schedule.reorder(batch, row_out, chunk, row_in, channel_out, column_out, column_in, channel_part, lane)
        outer = schedule.fuse(batch, row_out, chunk)
    else:
        schedule.reorder(batch, row_out, row_in, channel_out, column_out, column_in, channel_part, lane)
        outer = schedule.fuse(batch, row_out)
    schedule.compute_at(steps.accumulate, column_out, preserve_unit_loops=True)
    if steps.fill is not None:
        schedule.compute_at(steps.fill, outer, preserve_unit_loops=True)
        inner = schedule.get_loops(steps.fill)[-1]
        _vectorize(schedule, inner, 64)
    parallelize(schedule, outer, rows * columns * channels * 16)
    _accumulate(schedule, steps, lanes)
    if lanes > 1:
        schedule.vectorize(lane)
    schedule.unroll(channel_part)
    schedule.unroll(column_in)


def _accumulate(schedule: s_tir.Schedule, steps: Steps, lanes: int) -> None:
    *_, column, channel, window_row, window_column = schedule.get_loops(steps.accumulate)
    part, lane = schedule.split(channel, [None, lanes])
    schedule.reorder(window_row, window_column, column, part, lane)
    if lanes > 1:
        schedule.vectorize(lane)
    first = schedule.decompose_reduction(steps.accumulate, window_row)
    if extent(schedule, window_row) * extent(schedule, window_column) <= _UNROLLED:
        schedule.unroll(window_row)
        schedule.unroll(window_column)
    for loop in (column, part, *schedule.get_loops(first)[-3:-1]):
        schedule.unroll(loop)
    if lanes > 1:
        schedule.vectorize(schedule.get_loops(first)[-1])


def _vectorize(schedule: s_tir.Schedule, loop: object, widest: int) -> None:
    lanes = vectorizable(extent(schedule, loop), widest)
    if lanes > 1:
        _, inner = schedule.split(loop, [None, lanes])
        schedule.vectorize(inner)
