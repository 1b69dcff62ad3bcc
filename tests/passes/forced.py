"""The integer module operator by operator, each on the codes of the simulated module's own values.

Run freely, two modules drift apart: a value near a tie is rounded up in one and down in the other, and everything
behind it differs. Here every integer value is compared with the simulated one and then replaced by it, so each operator
and each conversion is seen alone. One step is what a rounding may cost; an int32 code may be off by 2^-22 of the
largest code that its operands reach (their own, or the bits of a scheme with headroom): ratios are float32, and so
are the products with them, for each of two operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl.passes.codes import numbers_of
from qdsl.passes.realize import _Writer
from qdsl.passes.rebuild import main_graph, rebuild_function
from qdsl.realize.builders import FLOAT
from qdsl.realize.host import along_axis
from qdsl.realize.values import Numbers
from qdsl.ruleset import RuleSet

from .interpreter import run

Sample = Mapping[str, NDArray[Any]]
RELATIVE = 2.0**-22
TINY = 1e-30


@dataclass(frozen=True)
class Compared:
    """One integer value beside its simulated one."""

    name: str
    steps: float
    """The greatest difference in steps of the value's scale, less what float32 scales allow for."""


def codes_of(real: NDArray[Any], format: Numbers) -> NDArray[np.int64]:
    """The exact codes of real numbers, rounded and saturated in float64."""
    step = along_axis(format.scale, format.axis, real.ndim)
    return np.clip(np.round(real / step) + format.zero, format.low, format.high).astype(np.int64)


def reached(format: Numbers) -> float:
    """The codes that the operands of a wide value reach, 24 bits of the stock scheme's."""
    return 2.0**23 if format.dtype == "int32" and format.high < 2**30 else 0.0


def compare(simulated: IRModule, rules: RuleSet, sample: Sample) -> list[Compared]:
    """Every value of the integer module that stands for one of the simulated module."""
    graph = main_graph(simulated)
    program = rules.program
    writer = _Writer(graph, {r.name: r for r in program.rules}, program.defs, FLOAT)
    integer = rebuild_function(simulated, graph, writer.write)
    truth = run(simulated, sample)
    integers: dict[str, tuple[str, Numbers]] = {}
    for var, tensor in writer.became.items():
        if tensor.format is not None and isinstance(tensor.expr, relax.Var):
            integers.setdefault(str(tensor.expr.name), (str(var.name), numbers_of(graph.value_of[var])))
    floats = {str(expr.name): (str(var.name), writer.became[var].format) for var, expr in writer.floats.items()}
    made = [(var, t.expr) for var, t in writer.became.items() if t.format is None and isinstance(t.expr, relax.Var)]
    floats |= {str(expr.name): (str(var.name), None) for var, expr in made}
    found: list[Compared] = []

    def force(name: str, value: Any) -> Any:
        if name in integers:
            original, format = integers[name]
            expected: NDArray[Any] = codes_of(truth[original], format)
            off = np.abs(value.astype(np.int64) - expected) - np.maximum(np.abs(expected), reached(format)) * RELATIVE
        elif name in floats and isinstance(value, np.ndarray):
            original, numbers = floats[name]
            expected = truth[original]
            step = 0.0 if numbers is None else along_axis(numbers.scale, numbers.axis, expected.ndim)
            off = np.abs(value - expected) / (step + RELATIVE * np.max(np.abs(expected), initial=0.0) + TINY)
        else:
            return value
        found.append(Compared(name, float(np.max(off, initial=0.0))))
        return expected.astype(value.dtype)

    run(integer, sample, force)
    assert len(found) >= len(graph.outputs)
    return found
