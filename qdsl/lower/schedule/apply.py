"""Try each kind of schedule on each PrimFunc; one that none fits, or that fails, stays as it is and is still right."""

from __future__ import annotations

import logging
from collections.abc import Callable

import tvm
from tvm import s_tir, tirx
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.schedule.conv import schedule_convolution
from qdsl.lower.schedule.depthwise import schedule_depthwise
from qdsl.lower.schedule.pointwise import schedule_pointwise
from qdsl.lower.schedule.reduction import schedule_reduction
from qdsl.lower.schedule.rows import schedule_rows
from qdsl.lower.target import Target

_LOG = logging.getLogger(__name__)

Rule = Callable[[tirx.PrimFunc, Target], s_tir.Schedule | None]

RULES: tuple[Rule, ...] = (
    schedule_convolution,
    schedule_depthwise,
    schedule_rows,
    schedule_pointwise,
    schedule_reduction,
)
"""In the order in which they are tried."""


@tvm.transform.module_pass(opt_level=0, name="qdsl.ScheduleAll")
class ScheduleAll:
    """A pass: every PrimFunc of the module scheduled for `target`. The module that is given is left alone."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        functions = {
            variable: self._scheduled(variable.name_hint, function) if _is_plain(function) else function
            for variable, function in module.functions_items()
        }
        return IRModule(functions, attrs=module.attrs)

    def _scheduled(self, name: str, function: tirx.PrimFunc) -> tirx.PrimFunc:
        for rule in RULES:
            try:
                schedule = rule(function, self.target)
            except Exception as error:  # a schedule that cannot be made must never cost the result
                _LOG.debug("%s: %s does not fit: %s", name, rule.__name__, str(error)[-300:])
                continue
            if schedule is not None:
                _LOG.debug("%s: %s", name, rule.__name__)
                return schedule.mod["main"].with_attr("tirx.is_scheduled", True)
        return function


def _is_plain(function: object) -> bool:
    return isinstance(function, tirx.PrimFunc) and not (function.attrs and "tirx.is_scheduled" in function.attrs)
