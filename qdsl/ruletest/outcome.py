"""What became of a test's graph: folded, annotated, calibrated on the test's own samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.lang import tree
from qdsl.lower.evaluator import Evaluator
from qdsl.passes.calibrate import observe_samples, sites_of, values_to_observe, write_numbers
from qdsl.passes.fold import FoldTrace
from qdsl.passes.plan import Attempt, Firing
from qdsl.passes.solve import solve
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.stages import Annotated, annotate, fold

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet


@dataclass(frozen=True)
class Outcome:
    """The stages of a test's graph, and what each decided."""

    given: IRModule
    folded: IRModule
    trace: FoldTrace
    annotated: Annotated
    simulated: IRModule
    rules: RuleSet

    def fired(self, item: tree.Rule | tree.Fold) -> bool:
        if isinstance(item, tree.Fold):
            return any(f.fold == item.name for f in self.trace.applied)
        return bool(self.firings(item))

    def firings(self, rule: tree.Rule) -> list[Firing]:
        """The applications of a rule."""
        return [f for f in self.annotated.plan.firings.values() if f.rule.name == rule.name]

    def refusals(self, item: tree.Rule | tree.Fold) -> list[Attempt]:
        """Where an item was tried and refused, the pattern having matched."""
        if isinstance(item, tree.Fold):
            attempts = [a for tried in self.trace.refused.values() for a in tried]
        else:
            attempts = [a for d in self.annotated.plan.decisions for a in d.attempts]
        mine = [a for a in attempts if a.rule == item.name and not a.fired]
        return [a for a in mine if not a.reason.startswith("does not match")]

    def why_not(self, item: tree.Rule | tree.Fold) -> str:
        """Why an item did not fire, in a few words."""
        refused = self.refusals(item)
        if refused:
            return refused[0].reason
        attempts = [a for d in self.annotated.plan.decisions for a in d.attempts if a.rule == item.name]
        return attempts[0].reason if attempts else "its pattern matches nothing here"


def quantize_given(
    module: IRModule, rules: RuleSet, samples: Sequence[Mapping[str, NDArray[np.generic]]], config: QConfig
) -> Outcome:
    """Quantizes a small graph up to the simulated module."""
    trace = FoldTrace()
    folded = fold(module, rules, config, trace)
    annotated = annotate(folded, rules, config)
    calibration = Calibration()
    values = values_to_observe(annotated.module)
    if values:
        evaluator = Evaluator(annotated.module, values)
        observe_samples(evaluator.run, samples, lambda name, array: calibration.observe(name, array))
    numbers = solve(sites_of(annotated.module), CalibratedRanges(calibration, config))
    return Outcome(module, folded, trace, annotated, write_numbers(annotated.module, numbers), rules)
