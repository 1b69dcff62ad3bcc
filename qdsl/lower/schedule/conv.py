"""Convolutions over packed weights: a tile of sums held in registers, the epilogue done while it is there.

parallel over images and rows (or blocks of channels and rows, where the weights outweigh the image)
  tiles of columns and of channel blocks
    sums = 0
    over window rows, window columns, groups of input channels
      every column and block of the tile, unrolled: sums += broadcast(data) * weights
    epilogue of the tile, vectorised over channels
"""

from __future__ import annotations

from tvm import s_tir, tirx

from qdsl.lower.kernels.tile import Tile
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.steps import (
    Block,
    Steps,
    buffer_shape,
    extent,
    find_steps,
    is_reduction,
    read_bytes,
    vectorizable,
)
from qdsl.lower.schedule.vnni import tensorize_dot
from qdsl.lower.target import Target

KINDS = ("fma", "vnni", "int")


def schedule_convolution(function: tirx.PrimFunc, target: Target) -> s_tir.Schedule | None:
    """A schedule for a fused convolution; None when the function is none."""
    schedule = s_tir.Schedule(function)
    steps = find_steps(schedule)
    if steps is None or steps.kind not in KINDS:
        return None
    if any(is_reduction(schedule, block) for block in (*steps.before, *steps.after)):
        return None
    for block in (*steps.before, *steps.after[:-1]):
        schedule.compute_inline(block)
    if steps.fill is not None:
        schedule_fill(schedule, steps.fill)
    _tile(schedule, steps, target)
    return schedule


def schedule_fill(schedule: s_tir.Schedule, fill: Block) -> None:
    """The copy with its border: rows in parallel, vectorised over channels as far as they go."""
    loops = schedule.get_loops(fill)
    if len(loops) != 4:
        return
    batch, row, column, channel = loops
    size = extent(schedule, batch) * extent(schedule, row) * extent(schedule, column) * extent(schedule, channel)
    lanes = vectorizable(extent(schedule, channel), 64)
    if lanes > 1:
        _, inner = schedule.split(channel, [None, lanes])
        schedule.vectorize(inner)
    parallelize(schedule, schedule.fuse(batch, row), size)


def _tile(schedule: s_tir.Schedule, steps: Steps, target: Target) -> None:
    result, total = steps.after[-1], steps.accumulate
    tile = Tile.of(steps.detail)
    packed = schedule.get(total).reads[1]
    lanes = int(buffer_shape(packed)[4])
    heavy = read_bytes(schedule, total, 1) > read_bytes(schedule, total, 0)
    batch, row, column, channel = schedule.get_loops(result)
    width = vectorizable(extent(schedule, channel), lanes)
    column_tile, column_in = schedule.split(column, [None, tile.columns])
    channel_tile, channel_part, channel_in = schedule.split(channel, [None, tile.blocks * lanes // width, width])
    if heavy:
        schedule.reorder(batch, channel_tile, row, column_tile, column_in, channel_part, channel_in)
        outer = schedule.fuse(batch, channel_tile, row)
    else:
        schedule.reorder(batch, row, channel_tile, column_tile, column_in, channel_part, channel_in)
        outer = schedule.fuse(batch, row)
    parallelize(schedule, outer, _products(schedule, steps))
    schedule.compute_at(total, column_tile, preserve_unit_loops=True)
    _accumulate(schedule, total, lanes, steps.kind)
    if width > 1:
        schedule.vectorize(channel_in)
    schedule.unroll(channel_part)


def _accumulate(schedule: s_tir.Schedule, total: Block, lanes: int, kind: str) -> None:
    """Order, unroll and vectorise the loops of the sum, which end in row, column, channel and the summed axes."""
    count = sum(variable.iter_type != 0 for variable in schedule.get(total).iter_vars)
    loops = schedule.get_loops(total)
    summed, (column, channel) = loops[-count:], loops[-count - 2 : -count]
    block, lane = schedule.split(channel, [None, lanes])
    window, depth = summed[:3], summed[3:]
    schedule.reorder(*window, column, block, lane, *depth)
    if kind != "vnni":
        schedule.vectorize(lane)
    first = schedule.decompose_reduction(total, window[0])
    if kind == "vnni":
        tensorize_dot(schedule, lane)
    schedule.unroll(column)
    schedule.unroll(block)
    for loop in schedule.get_loops(first)[-3:-1]:
        schedule.unroll(loop)
    schedule.vectorize(schedule.get_loops(first)[-1])


def _products(schedule: s_tir.Schedule, steps: Steps) -> int:
    """How many multiplications of the kernel's width, times 16, it takes in all."""
    count = 1
    for variable in schedule.get(steps.accumulate).iter_vars:
        count *= int(variable.dom.extent)
    return count // (4 if steps.kind == "vnni" else 1)
