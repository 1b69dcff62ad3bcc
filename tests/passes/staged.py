"""A float module through every stage, calibrated in numpy: quick enough for random networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.passes.calibrate import sites_of, values_to_observe, write_numbers
from qdsl.passes.fold import FoldTrace
from qdsl.passes.plan import Decision
from qdsl.passes.solve import Numbers, solve
from qdsl.ruleset import RuleSet, load_rules
from qdsl.session import stages
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.stages import Annotated

from .interpreter import run

Sample = Mapping[str, NDArray[Any]]


@cache
def stock() -> RuleSet:
    return load_rules()


@dataclass(frozen=True)
class Staged:
    """The module after each stage, and what was decided on the way."""

    folded: IRModule
    trace: FoldTrace
    decided: Annotated
    calibration: Calibration
    numbers: Numbers
    simulated: IRModule
    integer: IRModule
    rules: RuleSet

    @property
    def annotated(self) -> IRModule:
        return self.decided.module

    def decision(self, var: str) -> Decision:
        """What became of the operator that makes a value."""
        return next(d for d in self.decided.plan.decisions if d.var == var)

    def rule_at(self, var: str) -> str | None:
        return self.decision(var).rule


def staged(
    module: IRModule, samples: Sequence[Sample], config: QConfig | None = None, rules: RuleSet | None = None
) -> Staged:
    """All stages of a module whose constants are bound."""
    config, rules = config or QConfig(), rules or stock()
    trace = FoldTrace()
    folded = stages.fold(module, rules, config, trace)
    decided = stages.annotate(folded, rules, config)
    watched = [str(v.name) for v in values_to_observe(decided.module)]
    calibration = Calibration()
    for sample in samples:
        found = run(decided.module, sample)
        calibration.observe_all({n: np.asarray(found[n], np.float32) for n in watched})
    numbers = solve(sites_of(decided.module), CalibratedRanges(calibration, config), config.nbit_activation)
    simulated = write_numbers(decided.module, numbers)
    integer = stages.realize(simulated, rules, config)
    return Staged(folded, trace, decided, calibration, numbers, simulated, integer, rules)


def samples_for(module: IRModule, count: int = 2, seed: int = 0, spread: float = 1.0) -> list[dict[str, NDArray[Any]]]:
    """Normal numbers for every input of a module."""
    rng = np.random.default_rng(seed)
    shapes = {str(p.name): tuple(int(d) for d in p.ty.shape) for p in module["main"].params}
    return [
        {name: (rng.standard_normal(shape) * spread).astype("float32") for name, shape in shapes.items()}
        for _ in range(count)
    ]
