"""The profile of a run: for every rule how often it matched, was tried and fired, how long that took, and what its
conversions alone cost in accuracy."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.lang import tree
from qdsl.match.book import make_book
from qdsl.match.graph import Graph
from qdsl.passes.claims import find_matches
from qdsl.passes.fold import FoldTrace, fold_module
from qdsl.passes.plan import Plan
from qdsl.passes.probe import Probe
from qdsl.passes.sites import Site
from qdsl.passes.solve import Numbers
from qdsl.session.measure import Difference

Sample = Mapping[str, NDArray[np.generic]]
SAMPLES = 4
"""Batches on which the cost of each rule is measured."""


@dataclass(frozen=True)
class RuleProfile:
    """One rule or fold."""

    rule: str
    kind: str
    """rule | fold"""
    matches: int
    """Operators at which its pattern matches. Of a fold: as the model came, before other folds."""
    tries: int
    """How often it was tried."""
    fired: int
    time_ms: float
    """To look for its pattern everywhere; of a fold, to fold with it alone."""
    sqnr_db: float | None = None
    """The worst output with this rule's conversions alone, against float; None where it converts nothing to at most
    16 bits, or changes nothing."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def profile_rules(
    rules: Iterable[tree.Rule], graph: Graph, plan: Plan, skipped: Mapping[relax.Var, str]
) -> list[RuleProfile]:
    """Matches, tries, applications and time of each rule, in the order of the files."""
    tries = Counter(a.rule for d in plan.decisions for a in d.attempts)
    fired = Counter(f.rule.name for f in plan.firings.values())
    found = []
    for rule in rules:
        start = time.perf_counter()
        matches = find_matches(graph, make_book([rule]), lambda v: v not in skipped)
        spent = (time.perf_counter() - start) * 1e3
        found.append(RuleProfile(rule.name, "rule", len(matches.at), tries[rule.name], fired[rule.name], spent))
    return found


def profile_folds(
    folds: Iterable[tree.Fold], module: IRModule, defs: Mapping[str, tree.Def], trace: FoldTrace
) -> list[RuleProfile]:
    """The same of each fold."""
    applied = Counter(f.fold for f in trace.applied)
    refused = Counter(a.rule for tried in trace.refused.values() for a in tried)
    found = []
    for fold in folds:
        alone = FoldTrace()
        start = time.perf_counter()
        fold_module(module, [fold], defs, alone)
        spent = (time.perf_counter() - start) * 1e3
        matches = len(alone.applied) + sum(len(tried) for tried in alone.refused.values())
        name = fold.name
        found.append(RuleProfile(name, "fold", matches, applied[name] + refused[name], applied[name], spent))
    return found


def with_errors(
    profiles: Sequence[RuleProfile],
    sites: Sequence[Site],
    probe: Probe,
    numbers: Numbers,
    samples: Sequence[Sample],
    outputs: Sequence[str],
) -> list[RuleProfile]:
    """The profiles with what each rule's conversions alone cost. `outputs` are names of values of the probe."""
    owned: dict[str, set[relax.Var]] = {}
    for site in sites:
        if site.format.dtype != "int32":
            owned.setdefault(str(dialect.attributes(site.call).get("rule", "")), set()).add(site.var)
    truths = [probe.float(sample) for sample in samples[:SAMPLES]]
    return [_with_error(p, owned.get(p.rule, set()), probe, numbers, samples, truths, outputs) for p in profiles]


def _with_error(
    profile: RuleProfile,
    owned: set[relax.Var],
    probe: Probe,
    numbers: Numbers,
    samples: Sequence[Sample],
    truths: Sequence[Mapping[str, NDArray[np.generic]]],
    outputs: Sequence[str],
) -> RuleProfile:
    if not owned or profile.kind == "fold":
        return profile
    settings = probe.settings(numbers, owned)
    worst = worst_sqnr(truths, [probe.simulated(s, settings) for s in samples[: len(truths)]], outputs)
    return RuleProfile(**{**asdict(profile), "sqnr_db": worst})


def worst_sqnr(
    truths: Sequence[Mapping[str, NDArray[np.generic]]],
    made: Sequence[Mapping[str, NDArray[np.generic]]],
    outputs: Sequence[str],
) -> float | None:
    """The SQNR in dB of the output that is worst; None where all are exact."""
    found = []
    for name in outputs:
        difference = Difference()
        for truth, values in zip(truths, made, strict=True):
            difference.add(truth[name], values[name])
        if difference.sqnr_db is not None:
            found.append(difference.sqnr_db)
    return min(found, default=None)
