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
    fill_lanes,
    find_steps,
    is_reduction,
    largest_divisor,
)
from qdsl.lower.schedule.vnni import tensorize_taps
from qdsl.lower.target import Target

_WIDEST = 8
"""Columns of a tile."""
_ROWS = 14
"""Rows of a tile, so that the filled rows stay in the first-level cache."""
_UNROLLED = 25
"""Places of the window up to which it is unrolled."""
_SUMS = 14
"""Registers of sums."""


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
    taps = steps.detail == "taps"
    lanes = 16 if taps else vectorizable(channels, target.float_lanes)
    width = vectorizable(channels, lanes)
    wide = largest_divisor(columns, _WIDEST)
    registers = -(-channels // lanes)
    blocks = largest_divisor(registers, max(1, _SUMS // wide))
    row_out, row_in = schedule.split(row, [None, largest_divisor(rows, max(2, min(_ROWS, rows // 2)))])
    column_out, column_in = schedule.split(column, [None, wide])
    channel_out, channel_part, lane = schedule.split(channel, [None, blocks * lanes // width, width])
    inside = [row_in, channel_out, column_out, column_in, channel_part, lane]
    outside = [batch, row_out]
    if registers * lanes >= 512:
        chunk, inside[1] = schedule.split(channel_out, [largest_divisor(registers // blocks, 8), None])
        outside.append(chunk)
    schedule.reorder(*outside, *inside)
    outer = schedule.fuse(*outside)
    schedule.compute_at(steps.accumulate, column_out, preserve_unit_loops=True)
    if steps.fill is not None:
        schedule.compute_at(steps.fill, outer, preserve_unit_loops=True)
        _vectorize(schedule, schedule.get_loops(steps.fill)[-1], fill_lanes(schedule, steps.fill))
    parallelize(schedule, outer, rows * columns * channels * 16)
    (_accumulate_taps if taps else _accumulate)(schedule, steps, lanes)
    if width > 1:
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
    _unroll(schedule, window_row, window_column, column, part)
    _clear(schedule, first, lanes)


def _accumulate_taps(schedule: s_tir.Schedule, steps: Steps, lanes: int) -> None:
    *_, column, channel, group, window_column, tap = schedule.get_loops(steps.accumulate)
    part, lane = schedule.split(channel, [None, lanes])
    schedule.reorder(group, part, window_column, column, lane, tap)
    first = schedule.decompose_reduction(steps.accumulate, group)
    tensorize_taps(schedule, lane)
    _unroll(schedule, group, window_column, column, part)
    _clear(schedule, first, lanes)


def _unroll(schedule: s_tir.Schedule, *loops: object) -> None:
    window = extent(schedule, loops[0]) * extent(schedule, loops[1])
    for loop in loops if window <= _UNROLLED else loops[2:]:
        schedule.unroll(loop)


def _clear(schedule: s_tir.Schedule, first: object, lanes: int) -> None:
    *_, column, part, lane = schedule.get_loops(first)
    schedule.unroll(column)
    schedule.unroll(part)
    if lanes > 1:
        schedule.vectorize(lane)


def _vectorize(schedule: s_tir.Schedule, loop: object, widest: int) -> None:
    lanes = vectorizable(extent(schedule, loop), widest)
    if lanes > 1:
        _, inner = schedule.split(loop, [None, lanes])
        schedule.vectorize(inner)
