"""quantize: from a model and samples to a Result, stage by stage."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.calibration import Calibration
from qdsl.calibrate.samples import SampleSource
from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.load import LoadedModel, load_model
from qdsl.passes.calibrate import sites_of, values_to_observe, write_numbers
from qdsl.passes.fold import FoldTrace
from qdsl.passes.probe import Constants, Probe, make_probe
from qdsl.passes.solve import Numbers, solve
from qdsl.report import Output, Report
from qdsl.ruleset import RuleSet, chosen
from qdsl.session import rows, stages
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.errors import float_outputs, measure, operator_values
from qdsl.session.measure import Difference, peak_memory_mb
from qdsl.session.observe import needs_histogram, observe_in_passes
from qdsl.session.profile import RuleProfile, profile_folds, profile_rules, with_errors
from qdsl.session.provenance import (
    digest_of_calibration,
    digest_of_model,
    digest_of_module,
    digest_of_texts,
    provenance,
)
from qdsl.session.result import Result
from qdsl.session.stages import Annotated, Progress, no_progress
from qdsl.session.warn import warnings_of

STAGES = ("fold", "annotate", "calibrate", "realize")
MEASURED = 8
"""On so many batches at most errors are measured."""
Array = NDArray[np.generic]
Sample = Mapping[str, Array]


def quantize(
    model: Any,
    calibration: Any = None,
    config: QConfig | None = None,
    rules: RuleSet | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    stage: str = "realize",
    fuel: int | None = None,
    profile: bool = False,
    progress: Progress = no_progress,
) -> Result:
    """Quantizes a model by rules.

    Args:
        model: path of an .onnx file, onnx.ModelProto, or a Relax IRModule.
        calibration: an iterable of {input name: array}, {input name: array with samples first}, the path of an .npz
            file, or a Calibration made before. May be None where `stage` stops before calibrate.
        config: options; see `qdsl config`.
        rules: what `load_rules` gave; default: the stock rules.
        shapes: shapes of inputs that the model leaves open.
        params: the weights of a Relax module whose main function takes them as parameters.
        stage: the last stage to run: fold, annotate, calibrate or realize.
        fuel: at most so many applications of rules, in program order; for bisection.
        profile: also find what each rule takes and costs, as `result.profile`.

    Raises:
        QdslError: RuleError, ModelError, DataError, ConfigError or BuildError, with what was wrong, where, what to do.
    """
    if stage not in STAGES:
        raise ConfigError(f"stage {stage!r}: it is one of {', '.join(STAGES)}")
    if fuel is not None and fuel < 0:
        raise ConfigError(f"fuel = {fuel}: it is a number of applications, 0 or more")
    run = _Run(config or QConfig(), chosen(rules), progress, fuel=fuel, profile=profile)
    return run.run(model, calibration, shapes, params, stage)


@dataclass
class _Run:
    config: QConfig
    rules: RuleSet
    progress: Progress
    timings: dict[str, float] = field(default_factory=dict)
    fuel: int | None = None
    profile: bool = False

    def run(self, model: Any, data: Any, shapes: Any, params: Any, stage: str) -> Result:
        with self._timed("import"):
            again = self.config.calibrate_chunk_by > 0
            source = None if data is None or isinstance(data, Calibration) else SampleSource(data, keep=again)
            seen = source.sample_shapes if source is not None else None
            loaded = load_model(model, shapes=shapes, sample_shapes=seen, params=params)
        trace = FoldTrace()
        with self._timed("fold"):
            folded = stages.fold(loaded.module, self.rules, self.config, trace)
        kinds = {o.name: o.op for o in loaded.operators}
        with self._timed("annotate"):
            decided = stages.annotate(folded, self.rules, self.config, kinds, fuel=self.fuel)
        report = Report(
            model=loaded.name or "model", rows=rows.make_rows(loaded.operators, trace, decided.plan.decisions, {}, {})
        )
        result = Result(
            loaded,
            folded,
            decided.module if stage != "fold" else folded,
            decided.plan,
            trace,
            self.config,
            self.rules,
            report,
        )
        if self.profile:
            with self._timed("profile"):
                result.profile = self._profile(result, decided)
        if stage in ("fold", "annotate"):
            return self._finish(result, decided, model, None, {}, [])
        calibration, probe, kept = self._calibrate(loaded, decided, data, source)
        ranges = CalibratedRanges(calibration, self.config)
        numbers = solve(sites_of(decided.module), ranges, self.config.nbit_activation)
        result.calibration = calibration
        result.simulated = write_numbers(decided.module, numbers)
        if stage == "realize" and not self.config.do_simulation:
            with self._timed("realize"):
                result.integer = stages.realize(result.simulated, self.rules, self.config)
        errors, outputs = self._measure(result, probe, numbers, kept)
        if self.profile and probe is not None:
            with self._timed("profile errors"):
                ends = [str(v.name) for v in float_outputs(decided.module)]
                result.profile = with_errors(result.profile, sites_of(decided.module), probe, numbers, kept, ends)
        return self._finish(result, decided, model, numbers, errors, outputs)

    def _profile(self, result: Result, decided: Annotated) -> list[RuleProfile]:
        folds = stages.enabled_folds(self.rules, self.config) if self.config.fold_batch_norm else []
        rules = stages.enabled_rules(self.rules, self.config)
        return [
            *profile_folds(folds, result.loaded.module, self.rules.program.defs, result.trace),
            *profile_rules(rules, decided.graph, decided.plan, decided.skips.reasons),
        ]

    # ---- calibrate

    def _calibrate(
        self, loaded: LoadedModel, decided: Annotated, data: Any, source: SampleSource | None
    ) -> tuple[Calibration, Probe | None, list[Sample]]:
        """The calibration, something that runs the model under any scales, and the first batches."""
        if isinstance(data, Calibration):
            return data, None, []
        if source is None:
            forms = "an iterable of samples, a dict of arrays, or the path of an .npz file"
            raise ConfigError(f"calibration data is needed: {forms}")
        watched = {str(v.name) for v in values_to_observe(decided.module)}
        values = watched | {str(v.name) for v in operator_values(decided.module)}
        values |= {str(v.name) for v in float_outputs(decided.module)}
        calibration = Calibration()
        kept: list[Sample] = []
        at_once = self.config.calibrate_chunk_by < 0
        with self._timed("compile float"):
            knobs = None if self.profile else Constants()  # what one rule costs needs its weights to be switched alone
            probe = make_probe(decided.module, sorted(values), knobs)
        with self._timed("calibrate"):
            variables = {i.name: i.variable or i.name for i in loaded.inputs}
            batches = lambda: ({variables[n]: a for n, a in s.items()} for s in source.batches(loaded.inputs))  # noqa: E731
            if not at_once:
                calibration = observe_in_passes(decided.module, sorted(watched), batches, self.config)
                kept = list(islice(batches(), MEASURED))
            for sample in batches() if at_once else ():
                found = probe.float(sample)
                calibration.observe_all({n: found[n] for n in watched}, histogram=needs_histogram(self.config))
                if len(kept) < MEASURED:
                    kept.append(sample)
                self.progress("calibrate", calibration.samples, source.total)
        return calibration, probe, kept

    # ---- measure

    def _measure(
        self, result: Result, probe: Probe | None, numbers: Numbers, kept: Sequence[Sample]
    ) -> tuple[dict[str, Difference], list[Output]]:
        if probe is None or not kept:
            return {}, []
        with self._timed("compile"):
            final = result.build()
            rounded = make_probe(result.annotated, list(probe.evaluator.names), Constants(numbers))
        with self._timed("measure"):
            told = lambda done: self.progress("measure", done, len(kept))  # noqa: E731
            return measure(result, (probe, rounded), numbers, final, kept, told)

    # ---- report

    def _finish(
        self,
        result: Result,
        decided: Annotated,
        model: Any,
        numbers: Numbers | None,
        errors: Mapping[str, Difference],
        outputs: Sequence[Output],
    ) -> Result:
        shown = rows.shown_formats(sites_of(decided.module), numbers) if numbers is not None else {}
        table = rows.make_rows(result.loaded.operators, result.trace, decided.plan.decisions, shown, errors)
        result.report = Report(
            model=result.loaded.name or "model",
            rows=table,
            outputs=tuple(outputs),
            conversions=rows.count_conversions(result.annotated),
            timings_s=dict(self.timings),
            size_bytes=self._sizes(result),
            peak_rss_mb=peak_memory_mb(),
            provenance=provenance(
                model=digest_of_model(model),
                rules=digest_of_texts({p: s.text for p, s in self.rules.program.sources.items()}),
                calibration=digest_of_calibration(result.calibration),
                result=digest_of_module(result.module),
            ),
            warnings=tuple(warnings_of(table, decided, self.config)),
        )
        return result

    def _sizes(self, result: Result) -> dict[str, int]:
        sizes = {"float": rows.constant_bytes(result.loaded.module)}
        if result.integer is not None:
            sizes["quantized"] = rows.constant_bytes(result.integer)
        return sizes

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        self.progress(stage, 0, None)
        start = time.perf_counter()
        yield
        self.timings[stage] = time.perf_counter() - start
