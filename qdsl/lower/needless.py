"""Work that cannot change a code is left out: exactly, by the monotony of narrowing and by what values are possible.

requantize(max(x, m))   =  requantize(x)      where m itself narrows to the least code: saturation does it
requantize(min(x, m))   =  requantize(x)      where m itself narrows to the greatest
requantize(x)           is told between what bounds x lies, so that its kernel need not clamp where nothing saturates
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.intervals import Intervals
from qdsl.lower.layout.calls import attribute_values, constant, op_name, rank_of, rebuilt
from qdsl.lower.rewrite import Rewriting, rewrite_main
from qdsl.numerics import requantize

LEAST, GREATEST = "least", "greatest"
"""Attributes of a requantize: between what bounds its operand lies."""


@tvm.transform.module_pass(opt_level=0, name="qdsl.DropNeedless")
class DropNeedless:
    """A pass over `main`; the module that is given is left alone."""

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        return rewrite_main(module, _step, _Frame)


class _Frame(Rewriting):
    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        super().__init__(builder, function)
        self.intervals = Intervals(self)


def _step(variable: relax.Var, value: relax.Expr, frame: _Frame) -> bool:
    frame.intervals.note(variable, value)
    if op_name(value) != "qdsl.requantize":
        return False
    assert isinstance(value, relax.Call)
    source = _without_clips(value, frame)
    changes = {}
    bounds = frame.intervals.of(source)
    if bounds is not None:
        changes = {LEAST: bounds[0], GREATEST: bounds[1]}
    operands = [frame.new(source), *(frame.new(argument) for argument in value.args[1:])]
    frame.bind(variable, rebuilt(value, operands, **changes))
    return True


def _without_clips(call: relax.Call, frame: Rewriting) -> relax.Expr:
    """The old operand of a requantize below the maxima and minima that its own saturation makes needless."""
    source = call.args[0]
    while True:
        inner = frame.defined(source)
        name = op_name(inner)
        if name not in ("maximum", "minimum"):
            return source
        bound = constant(frame.defined(inner.args[1]))
        if bound is None or rank_of(inner.args[0]) != rank_of(inner):
            return source
        code = _narrowed(call, bound)
        attrs = attribute_values(call)
        wanted = int(attrs["low"] if name == "maximum" else attrs["high"])
        if code is None or not bool(np.all(code == wanted)):
            return source
        source = inner.args[0]


def _narrowed(call: relax.Call, bound: np.ndarray) -> np.ndarray | None:
    """The codes that a requantize gives a constant that broadcasts against its operand; None in mode fixed."""
    attrs, ratio = attribute_values(call), constant(call.args[1])
    if str(attrs["mode"]) != "float" or ratio is None or bound.dtype.kind not in "iu":
        return None
    axis, rank = attrs.get("axis"), rank_of(call)
    full = bound.reshape((1,) * (rank - bound.ndim) + bound.shape)
    if axis is not None and ratio.ndim:
        shape: list[int] = list(full.shape)
        shape[int(axis)] = ratio.size
        full = np.broadcast_to(full, shape) if full.shape[int(axis)] in (1, ratio.size) else full
    return np.asarray(
        requantize(
            full,
            ratio,
            int(attrs["zero_in"]),
            int(attrs["zero_out"]),
            dtype=str(attrs["dtype"]),
            low=int(attrs["low"]),
            high=int(attrs["high"]),
            axis=None if axis is None else int(axis),
        )
    )
