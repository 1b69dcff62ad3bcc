"""Row kernels: all their steps, one row after the other, while the row is in the cache."""

from __future__ import annotations

import math

from tvm import s_tir, tirx

from qdsl.lower.kernels.rows import KEPT, PARTS, RESULT
from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.schedule.parallel import parallelize
from qdsl.lower.schedule.steps import Block, child_blocks, extent, is_reduction, mark_of
from qdsl.lower.target import Target


def schedule_rows(function: tirx.PrimFunc, target: Target) -> s_tir.Schedule | None:
    """A schedule for a marked row kernel and the elementwise steps fused behind it; None for other functions."""
    schedule = s_tir.Schedule(function)
    blocks = child_blocks(schedule)
    marks = [mark_of(schedule, block) for block in blocks]
    if RESULT not in marks:
        return None
    for block, mark in zip(blocks[:-1], marks, strict=False):
        if mark != KEPT and not is_reduction(schedule, block) and not mark.startswith("rows.total"):
            schedule.compute_inline(block)
    *blocks, result = child_blocks(schedule)
    loops = schedule.get_loops(result)
    rows = _rows(schedule, blocks, loops)
    work = math.prod(extent(schedule, loop) for loop in loops) * 4 * len(blocks)
    outer = schedule.fuse(*loops[:rows]) if rows else None
    if outer is not None:
        for block in reversed(blocks):
            schedule.compute_at(block, outer, preserve_unit_loops=True)
        parallelize(schedule, outer, work)
    for block in blocks:
        if mark_of(schedule, block) == PARTS:
            _parts(schedule, block)
        elif mark_of(schedule, block) == KEPT:
            _along(schedule, block, target)
    if len(loops) > rows:
        _along(schedule, result, target)
    return schedule


def _rows(schedule: s_tir.Schedule, blocks: list[Block], loops: list[object]) -> int:
    """How many of the result's loops are rows: those that the totals have, too."""
    ranks = [
        sum(variable.iter_type == 0 for variable in schedule.get(block).iter_vars)
        for block in blocks
        if mark_of(schedule, block).startswith("rows.total")
    ]
    return min([len(loops), *ranks])


def _parts(schedule: s_tir.Schedule, block: Block) -> None:
    *_, lane, step = schedule.get_loops(block)
    schedule.reorder(step, lane)
    schedule.vectorize(lane)
    first = schedule.decompose_reduction(block, step)
    schedule.vectorize(schedule.get_loops(first)[-1])


def _along(schedule: s_tir.Schedule, block: Block, target: Target) -> None:
    """Vectorise the innermost loop where registers divide it; LLVM does the others."""
    inner = schedule.get_loops(block)[-1]
    lanes = vectorizable(extent(schedule, inner), 2 * target.float_lanes)
    if lanes >= target.float_lanes:
        _, lane = schedule.split(inner, [None, lanes])
        schedule.vectorize(lane)
