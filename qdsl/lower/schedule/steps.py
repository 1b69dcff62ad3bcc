"""What the schedules ask of a PrimFunc: its blocks, the steps of a kernel among them, and their loops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import tvm_ffi
from tvm import s_tir, tirx

from qdsl.lower.kernels.conv import LANES, MARK
from qdsl.lower.kernels.tile import vectorizable

Block = Any
Loop = Any

SPATIAL = 0
"""TVM's number for a block variable that no sum runs over."""


@dataclass(frozen=True)
class Steps:
    """The steps of one marked kernel inside a PrimFunc, in order of execution."""

    kind: str
    """The kind of kernel, e.g. "vnni"."""
    detail: str
    """What else the mark says, e.g. the tile "7x2"."""
    before: tuple[Block, ...]
    """Blocks before the sum other than `fill`."""
    fill: Block | None
    accumulate: Block
    after: tuple[Block, ...]
    """The blocks after the sum; the last one writes the result."""


def child_blocks(schedule: s_tir.Schedule) -> list[Block]:
    """All blocks below the root, in order of execution."""
    return list(schedule.get_child_blocks(schedule.get_sblock("root")))


def mark_of(schedule: s_tir.Schedule, block: Block) -> str:
    """The block's mark, '' for none."""
    return str(schedule.get(block).annotations.get(MARK, ""))


def find_steps(schedule: s_tir.Schedule) -> Steps | None:
    """The steps of the only marked kernel; None when there is none, or there are several."""
    blocks = child_blocks(schedule)
    marks = [mark_of(schedule, block).split(".") for block in blocks]
    sums = [index for index, mark in enumerate(marks) if mark[0] == "accumulate"]
    if len(sums) != 1 or sums[0] == len(blocks) - 1:
        return None
    where = sums[0]
    fills = [block for block, mark in zip(blocks[:where], marks, strict=False) if mark[0] == "fill"]
    before = [block for block, mark in zip(blocks[:where], marks, strict=False) if mark[0] != "fill"]
    _, kind, *detail = marks[where]
    return Steps(
        kind=kind,
        detail=".".join(detail),
        before=tuple(before),
        fill=fills[0] if fills else None,
        accumulate=blocks[where],
        after=tuple(blocks[where + 1 :]),
    )


def fill_lanes(schedule: s_tir.Schedule, fill: Block) -> int:
    """How many channels a fill may copy at once."""
    channel = extent(schedule, schedule.get_loops(fill)[-1])
    return vectorizable(channel, int(schedule.get(fill).annotations[LANES]))


def is_reduction(schedule: s_tir.Schedule, block: Block) -> bool:
    """Whether a sum, maximum or the like runs over some of the block's variables."""
    return any(variable.iter_type != SPATIAL for variable in schedule.get(block).iter_vars)


def extent(schedule: s_tir.Schedule, loop: Loop) -> int:
    """The fixed number of turns of a loop. Raises TypeError when it is not fixed."""
    return int(schedule.get(loop).extent)


def largest_divisor(number: int, limit: int) -> int:
    """The largest divisor of `number` that is at most `limit`."""
    return max(d for d in range(1, max(1, min(number, limit)) + 1) if number % d == 0)


def read_bytes(schedule: s_tir.Schedule, block: Block, index: int) -> int:
    """The size of the buffer that the block reads as its operand `index`."""
    region = schedule.get(block).reads[index]
    return math.prod(buffer_shape(region)) * _bytes(str(region_buffer(region).dtype))


def region_buffer(region: Any) -> tirx.Buffer:
    """The buffer of a BufferRegion."""
    return region.source if hasattr(region, "source") else region.buffer


def buffer_shape(region: Any) -> list[int]:
    """The fixed shape of a BufferRegion's buffer."""
    return [int(dim) for dim in region_buffer(region).shape]


def variables_in(expression: tirx.PrimExpr) -> list[tirx.Var]:
    """The variables that an expression reads."""
    found: list[tirx.Var] = []
    tvm_ffi.structural_walk(expression, (tirx.Var, found.append))
    return found


def _bytes(dtype: str) -> int:
    digits = "".join(character for character in dtype if character.isdigit())
    return max(1, int(digits or 8) // 8)
