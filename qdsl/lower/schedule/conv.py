"""Convolutions over packed weights: a tile of sums held in registers, the epilogue done while it is there.

parallel over images and rows (or blocks of channels and rows, where the weights outweigh the image)
  tiles of columns and of channel blocks
    sums = 0
    over window rows, window columns, groups of input channels
      every column and block of the tile, unrolled: sums += broadcast(data) * weights
    epilogue of the tile, vectorised over channels
"""

from __future__ import annotations

import math

from tvm import s_tir, tirx
from tvm.s_tir.transform import StmtSimplify
from tvm.tirx import IndexMap

from qdsl.lower.kernels.product import flattened
from qdsl.lower.kernels.tile import Tile, vectorizable
from qdsl.lower.kernels.transposed import STRIDES
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.steps import (
    SPATIAL,
    Block,
    Steps,
    buffer_shape,
    extent,
    fill_lanes,
    find_steps,
    is_reduction,
    read_bytes,
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
    strides = str(schedule.get(steps.after[0]).annotations.get(STRIDES, "1x1"))
    for block in (*steps.before, *steps.after[:-1]):
        schedule.compute_inline(block)
    phases = math.prod(int(stride) for stride in strides.split("x"))
    if strides != "1x1":
        _gather_phases(schedule, steps.after[-1], strides)
        schedule = s_tir.Schedule(StmtSimplify()(schedule.mod))
        steps = find_steps(schedule)
        assert steps is not None
    elif _is_product(schedule, steps.accumulate):
        _flatten(schedule, steps.after[-1])
    if steps.fill is not None:
        schedule_fill(schedule, steps.fill)
    _tile(schedule, steps, phases)
    return schedule


def schedule_fill(schedule: s_tir.Schedule, fill: Block) -> None:
    """The copy with its border: outer axes in parallel, vectorised over channels as far as they go."""
    *outer, channel = schedule.get_loops(fill)
    size = math.prod(extent(schedule, loop) for loop in (*outer, channel))
    lanes = fill_lanes(schedule, fill)
    if lanes > 1:
        _, inner = schedule.split(channel, [None, lanes])
        schedule.vectorize(inner)
    parallelize(schedule, schedule.fuse(*outer[:2]), size)


def _tile(schedule: s_tir.Schedule, steps: Steps, phases: int) -> None:
    result, total = steps.after[-1], steps.accumulate
    tile = Tile.of(steps.detail)
    lanes = buffer_shape(schedule.get(total).reads[1])[4]
    heavy = read_bytes(schedule, total, 1) > read_bytes(schedule, total, 0)
    work = _products(schedule, steps)
    *rows, column, channel = schedule.get_loops(result)
    width = vectorizable(extent(schedule, channel) // phases, lanes)
    column_tile, column_in = schedule.split(column, [None, tile.columns])
    channel_tile, channel_part, channel_in = schedule.split(channel, [None, tile.blocks * lanes // width, width])
    if heavy:
        schedule.reorder(channel_tile, *rows, column_tile, column_in, channel_part, channel_in)
        shared = [channel_tile, *rows]
    else:
        schedule.reorder(*rows, channel_tile, column_tile, column_in, channel_part, channel_in)
        shared = rows
    if not rows:
        schedule.reorder(*([channel_tile, column_tile] if heavy else [column_tile, channel_tile]))
        shared = [channel_tile, column_tile] if heavy else [column_tile, channel_tile]
    inside = column_tile if rows else None
    outer = schedule.fuse(*shared)
    parallelize(schedule, outer, work)
    schedule.compute_at(total, inside if inside is not None else outer, preserve_unit_loops=True)
    _accumulate(schedule, total, lanes, steps.kind)
    if width > 1:
        schedule.vectorize(channel_in)
    schedule.unroll(channel_part)
    schedule.unroll(column_in)


def _flatten(schedule: s_tir.Schedule, block: Block) -> None:
    """Make all loops of a block but the last one loop over rows, in the block's own indices too."""
    extents = [extent(schedule, loop) for loop in schedule.get_loops(block)]
    if len(extents) > 2:
        order = IndexMap.from_func(
            lambda *index: (flattened(index[:-1], extents[:-1]), index[-1]),
            ndim=len(extents),
            index_dtype="int64",
        )
        schedule.transform_block_layout(block, order)


def _gather_phases(schedule: s_tir.Schedule, block: Block, strides: str) -> None:
    """Make the phases of a transposed convolution's result channels, as its sums have them."""
    high, wide = (int(number) for number in strides.split("x"))
    channels = extent(schedule, schedule.get_loops(block)[-1])

    def order(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tuple[tirx.PrimExpr, ...]:
        phase = tirx.floormod(y, high) * wide + tirx.floormod(x, wide)
        return n, tirx.floordiv(y, high), tirx.floordiv(x, wide), phase * channels + o

    schedule.transform_block_layout(block, IndexMap.from_func(order, index_dtype="int64"))


def _is_product(schedule: s_tir.Schedule, total: Block) -> bool:
    """Whether the sum is a matrix product: rows and channels, and no window."""
    return sum(variable.iter_type == SPATIAL for variable in schedule.get(total).iter_vars) == 2


def _accumulate(schedule: s_tir.Schedule, total: Block, lanes: int, kind: str) -> None:
    """Order, unroll and vectorise the loops of the sum, which end in row, column, channel and the summed axes."""
    count = sum(variable.iter_type != 0 for variable in schedule.get(total).iter_vars)
    loops = schedule.get_loops(total)
    summed, (column, channel) = loops[-count:], loops[-count - 2 : -count]
    block, lane = schedule.split(channel, [None, lanes])
    depth = summed[len(summed) - (kind == "vnni") :]
    window = summed[: len(summed) - len(depth)]
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
