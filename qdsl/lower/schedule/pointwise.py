"""Functions without sums: everything inlined into the last step, vectorised along the innermost axis.

    out[...] = expression                   one loop nest, outer loops in parallel

A transposition reads one axis and writes another contiguously; it is tiled so that both stay in the cache.
"""

from __future__ import annotations

from tvm import s_tir, tirx

from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.steps import Block, buffer_shape, child_blocks, extent, is_reduction
from qdsl.lower.target import Target


def schedule_pointwise(function: tirx.PrimFunc, target: Target) -> s_tir.Schedule | None:
    """A schedule for a function none of whose blocks sums; None for others."""
    schedule = s_tir.Schedule(function)
    blocks = child_blocks(schedule)
    if any(is_reduction(schedule, block) for block in blocks):
        return None
    for block in blocks[:-1]:
        schedule.compute_inline(block)
    spread(schedule, blocks[-1], 4 * target.float_lanes)
    return schedule


def spread(schedule: s_tir.Schedule, block: Block, widest: int) -> None:
    """Vectorise the innermost loop of a block without sums, run the others in parallel."""
    loops = schedule.get_loops(block)
    if not loops:
        return
    work = 1
    for loop in loops:
        work *= extent(schedule, loop)
    fused = schedule.fuse(*loops) if _is_flat(schedule, block) else None
    if fused is not None:
        loops = [fused]
    lanes = vectorizable(extent(schedule, loops[-1]), widest)
    outer = list(loops)
    if lanes > 1:
        outer[-1], lane = schedule.split(loops[-1], [None, lanes])
        schedule.vectorize(lane)
    parallelize(schedule, schedule.fuse(*outer), work)


def _is_flat(schedule: s_tir.Schedule, block: Block) -> bool:
    """Whether every operand is read at the place that is written, so that all axes are one."""
    body = schedule.get(block)
    variables = [variable.var for variable in body.iter_vars]
    shape = buffer_shape(body.writes[0])
    return all(
        buffer_shape(region) == shape and all(r.min.same_as(v) for r, v in zip(region.region, variables, strict=True))
        for region in (*body.reads, *body.writes)
        if len(region.region)
    )
