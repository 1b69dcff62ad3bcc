"""What became of a test's graph: folded, annotated, calibrated on the test's own samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.lang import tree
from qdsl.lower.evaluator import with_results
from qdsl.passes.calibrate import observe_samples, sites_of, values_to_observe, write_numbers
from qdsl.passes.fold import FoldTrace
from qdsl.passes.plan import Attempt, Decision, Firing
from qdsl.passes.solve import solve
from qdsl.passes.sweep import Record
from qdsl.ruletest.plain import compile_plain
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.stages import Annotated, annotate, fold

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet

Samples = Sequence[Mapping[str, NDArray[Any]]]


@dataclass(frozen=True)
class Outcome:
    """The stages of a test's graph, and what each decided."""

    given: IRModule
    folded: IRModule
    trace: FoldTrace
    annotated: Annotated
    samples: Samples
    rules: RuleSet

    @cached_property
    def simulated(self) -> IRModule:
        """The annotated module with its scales, calibrated on the samples."""
        module, config = self.annotated.module, QConfig()
        calibration = Calibration()
        values = {str(v.name): v for v in values_to_observe(module)}
        if values:
            runnable = compile_plain(with_results(module, values))
            observe_samples(runnable.run, self.samples, lambda name, array: calibration.observe(name, array))
        return write_numbers(module, solve(sites_of(module), CalibratedRanges(calibration, config)))

    def fired(self, item: tree.Rule | tree.Fold) -> bool:
        if isinstance(item, tree.Fold):
            return any(f.fold == item.name for f in self.trace.applied)
        return bool(self.firings(item))

    def firings(self, rule: tree.Rule) -> list[Firing]:
        """The applications of a rule."""
        return [f for f in self.annotated.plan.firings.values() if f.rule.name == rule.name]

    def attempts(self, item: tree.Rule | tree.Fold) -> list[Attempt]:
        """Where an item was tried."""
        if isinstance(item, tree.Fold):
            every = [a for tried in self.trace.refused.values() for a in tried]
        else:
            every = [a for d in self.annotated.plan.decisions for a in d.attempts]
        return [a for a in every if a.rule == item.name]

    def refusals(self, item: tree.Rule | tree.Fold) -> list[Attempt]:
        """Where an item was tried and refused, the pattern having matched."""
        return [a for a in self.attempts(item) if not a.fired and not a.reason.startswith("does not match")]

    def why_not(self, item: tree.Rule | tree.Fold) -> str:
        """Why an item did not fire, in a few words."""
        tried = self.refusals(item) or self.attempts(item)
        return tried[0].reason if tried else "its pattern matches nothing here"

    def decisions(self, item: tree.Rule | tree.Fold) -> list[Decision]:
        """What became of the operators at which an item was tried; of all of them where it was tried nowhere."""
        every = self.annotated.plan.decisions
        tried = [d for d in every if any(a.rule == item.name for a in d.attempts) or d.rule == item.name]
        return tried or list(every)


def quantize_given(module: IRModule, rules: RuleSet, samples: Samples, record: Record | None = None) -> Outcome:
    """Takes a small graph through folding and annotating; `record` is told what every guard term answered."""
    trace, config = FoldTrace(), QConfig()
    folded = fold(module, rules, config, trace, record)
    return Outcome(module, folded, trace, annotate(folded, rules, config, record=record), samples, rules)
