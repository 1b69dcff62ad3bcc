"""Pools, means and other sums that no kernel of ours computes: block by block.

sums along other axes than the innermost      the innermost stays innermost and is vectorised
sums along the innermost                      the outer axes in parallel, the sum itself in order
"""

from __future__ import annotations

from tvm import s_tir, tirx

from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.pointwise import spread
from qdsl.lower.schedule.steps import (
    SPATIAL,
    Block,
    child_blocks,
    extent,
    is_reduction,
    variables_in,
)
from qdsl.lower.target import Target


def schedule_reduction(function: tirx.PrimFunc, target: Target) -> s_tir.Schedule | None:
    """A schedule for a function with sums; None for one without."""
    schedule = s_tir.Schedule(function)
    blocks = child_blocks(schedule)
    if not any(is_reduction(schedule, block) for block in blocks):
        return None
    for block in blocks[:-1]:
        if not is_reduction(schedule, block) and _reader_count(schedule, block) == 1:
            schedule.compute_inline(block)
    for block in child_blocks(schedule):
        if is_reduction(schedule, block):
            _sum(schedule, block, target)
        else:
            spread(schedule, block, 4 * target.float_lanes)
    return schedule


def _sum(schedule: s_tir.Schedule, block: Block, target: Target) -> None:
    loops = schedule.get_loops(block)
    kinds = [variable.iter_type for variable in schedule.get(block).iter_vars]
    outer = [loop for loop, kind in zip(loops, kinds, strict=True) if kind == SPATIAL]
    summed = [loop for loop, kind in zip(loops, kinds, strict=True) if kind != SPATIAL]
    work = 1
    for loop in loops:
        work *= extent(schedule, loop)
    if not outer:
        return
    lanes = vectorizable(extent(schedule, outer[-1]), 4 * target.float_lanes)
    if lanes < 4 or _sums_innermost(schedule, block):
        schedule.reorder(*outer, *summed)
        parallelize(schedule, schedule.fuse(*outer), work)
        return
    outer[-1], lane = schedule.split(outer[-1], [None, lanes])
    schedule.reorder(*outer, *summed, lane)
    schedule.vectorize(lane)
    parallelize(schedule, schedule.fuse(*outer), work)
    first = schedule.decompose_reduction(block, summed[0])
    for loop in schedule.get_loops(first)[-1:]:
        if extent(schedule, loop) == lanes:
            schedule.vectorize(loop)


def _sums_innermost(schedule: s_tir.Schedule, block: Block) -> bool:
    """Whether a summed variable runs along the last axis of something that the block reads."""
    body = schedule.get(block)
    summed = [variable.var for variable in body.iter_vars if variable.iter_type != SPATIAL]
    return any(
        variable.same_as(other)
        for region in body.reads
        if region.region
        for variable in variables_in(region.region[-1].min)
        for other in summed
    )


def _reader_count(schedule: s_tir.Schedule, block: Block) -> int:
    return len(schedule.get_consumers(block))
