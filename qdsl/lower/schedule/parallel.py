"""When a kernel is worth its own parallel region: handing work to other threads costs microseconds."""

from __future__ import annotations

from tvm import s_tir

from qdsl.lower.schedule.steps import Loop, extent

_WORTH = 1 << 18
"""Units of work (about one lane-wise operation each) from which threads pay."""


def parallelize(schedule: s_tir.Schedule, loop: Loop, work: int) -> None:
    """Run `loop` in parallel when it turns more than once over `work` units of work in all."""
    if work >= _WORTH and extent(schedule, loop) > 1:
        schedule.parallel(loop)
