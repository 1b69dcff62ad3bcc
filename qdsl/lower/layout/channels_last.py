"""The layout pass: convolutions, pools and what touches them work on channels-last values inside `main`.

Kernels vectorise over channels, so channels are innermost between the first convolution and whatever needs the old
order. Inputs, outputs and every operator without a rule keep the order in which the module was written; a value is
turned at most once in each direction, and only when something asks for it.
"""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.layout.calls import op_name
from qdsl.lower.layout.rules import RULES
from qdsl.lower.layout.values import TurnedValues, Values
from qdsl.lower.rewrite import rewrite_main


@tvm.transform.module_pass(opt_level=0, name="qdsl.ChannelsLast")
class ChannelsLast:
    """A pass over `main`; the module that is given, its other functions, and a main with branches are left alone.

    With `turned_results`, results that are channels last stay so; `turned_results_of` says which.
    """

    def __init__(self, turned_results: bool = False) -> None:
        self.turned_results = turned_results

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        return rewrite_main(module, _rewrite, TurnedValues if self.turned_results else Values)


def _rewrite(variable: relax.Var, value: relax.Expr, values: Values) -> bool:
    rule = RULES.get(op_name(value))
    if rule is not None:
        return rule(variable, value, values)
    if isinstance(value, relax.TupleGetItem):
        return values.take_item(variable, value)
    if values.is_last(value):
        values.bind_last(variable, values.last(value))
        return True
    return False
