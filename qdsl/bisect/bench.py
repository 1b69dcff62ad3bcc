"""The model of a bisection: annotated, calibrated and compiled once, to be run with any number of applications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.bisect.metric import Metric, metric_of
from qdsl.calibrate.calibration import Calibration
from qdsl.calibrate.samples import SampleSource
from qdsl.config import QConfig
from qdsl.load import LoadedModel, load_model
from qdsl.match.graph import Graph
from qdsl.passes.calibrate import sites_of, values_to_observe
from qdsl.passes.plan import Firing, Plan
from qdsl.passes.probe import Probe, make_probe
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sites import Site
from qdsl.passes.solve import Numbers, solve
from qdsl.ruleset import RuleSet, checked, load_rules
from qdsl.session import stages
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.errors import float_outputs

Array = NDArray[np.generic]
Sample = Mapping[str, Array]
Told = Callable[[str, int, "int | None"], None]

MEASURED = 8
"""Batches that SQNR is measured on; a command gets all of them."""


@dataclass
class Bench:
    """A compiled model, its samples, and which conversions belong to the first n applications."""

    graph: Graph
    """The folded function that was annotated."""
    firings: Sequence[tuple[relax.Var, Firing]]
    """In the order in which they were made."""
    probe: Probe
    numbers: Numbers
    first: Mapping[relax.Var, int]
    """By site: the number of applications from which on it is there."""
    samples: Sequence[Sample]
    outputs: Mapping[str, str]
    """Names of the model's outputs to names of the probe's values."""
    metric: Metric
    told: Told
    truths: list[dict[str, Array]] = field(default_factory=list)
    runs: int = 0

    def value(self, count: int) -> float:
        """The metric with the first `count` applications."""
        if not self.truths:
            self.truths = [self._outputs(self.probe.float(sample)) for sample in self.samples]
        self.runs += 1
        self.told("bisect", self.runs, None)
        on = {site for site, first in self.first.items() if first <= count}
        settings = self.probe.settings(self.numbers, on)
        return self.metric(self.truths, [self._outputs(self.probe.simulated(s, settings)) for s in self.samples])

    def _outputs(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {name: values[value] for name, value in self.outputs.items()}


def make_bench(
    model: Any,
    calibration: Any,
    data: Any,
    metric: str,
    config: QConfig,
    rules: RuleSet | None,
    shapes: Mapping[str, Sequence[int]] | None,
    params: Mapping[str, Any] | None,
    told: Told,
) -> Bench:
    """Everything but the search; arguments as of `bisect`."""
    used = checked(rules or load_rules())
    source = None if isinstance(calibration, Calibration) else SampleSource(calibration)
    seen = None if source is None else source.sample_shapes
    loaded = load_model(model, shapes=shapes, sample_shapes=seen, params=params)
    folded = stages.fold(loaded.module, used, config)
    decided = stages.annotate(folded, used, config, {o.name: o.op for o in loaded.operators})
    watched = {str(v.name) for v in values_to_observe(decided.module)}
    ends = [str(v.name) for v in float_outputs(decided.module)]
    told("compile", 0, None)
    probe = make_probe(decided.module, sorted(watched | set(ends)))
    most = MEASURED if metric == "sqnr" else None
    observed, samples = _observe(probe, watched, source, calibration, loaded, most if data is None else 0, told)
    if data is not None:
        samples = _batches(SampleSource(data), loaded)[:most]
    sites = list(sites_of(decided.module))
    return Bench(
        decided.graph,
        list(decided.plan.firings.items()),
        probe,
        solve(sites, CalibratedRanges(observed, config), config.nbit_activation),
        first_applications(decided.module, decided.plan, sites),
        samples,
        dict(zip(loaded.outputs, ends, strict=True)),
        metric_of(metric),
        told,
    )


def _observe(
    probe: Probe,
    watched: set[str],
    source: SampleSource | None,
    calibration: Any,
    loaded: LoadedModel,
    most: int | None,
    told: Told,
) -> tuple[Calibration, list[Sample]]:
    """The calibration, and the first `most` batches of its samples."""
    if source is None:
        return calibration, []
    observed = Calibration()
    kept: list[Sample] = []
    for sample in _named(source, loaded):
        observed.observe_all({n: a for n, a in probe.float(sample).items() if n in watched})
        told("calibrate", observed.samples, source.total)
        if most is None or len(kept) < most:
            kept.append(sample)
    return observed, kept


def _batches(source: SampleSource, loaded: LoadedModel) -> list[Sample]:
    return list(_named(source, loaded))


def _named(source: SampleSource, loaded: LoadedModel) -> Any:
    """The batches under the names of the module's parameters."""
    variables = {i.name: i.variable or i.name for i in loaded.inputs}
    for sample in source.batches(loaded.inputs):
        yield {variables[name]: array for name, array in sample.items()}


def first_applications(module: IRModule, plan: Plan, sites: Sequence[Site]) -> dict[relax.Var, int]:
    """For each site the number of the first application (from 1) that reads it or makes it; conversions that no
    application asked for come with the last."""
    order = {str(root.name): number for number, root in enumerate(plan.firings, 1)}
    first: dict[relax.Var, int] = {}
    for binding in main_graph(module).bindings:
        if not dialect.is_call(binding.value, "annotated"):
            continue
        number = order[str(dialect.attributes(binding.value)["root"])]
        for value in (binding.var, *dialect.captures_of(binding.value)):
            if isinstance(value, relax.Var):
                first[value] = min(first.get(value, number), number)
    return {site.var: first.get(site.var, len(order)) for site in sites}
