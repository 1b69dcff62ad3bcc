"""What a quantization gives: the module at every stage, the report, the calibration, and something that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.errors import DataError
from qdsl.load import LoadedModel
from qdsl.passes.fold import FoldTrace
from qdsl.passes.partition import joined
from qdsl.passes.plan import Plan
from qdsl.report import Report

if TYPE_CHECKING:
    from qdsl.lower.executable import Executable
    from qdsl.ruleset import RuleSet
    from qdsl.session.profile import RuleProfile

Array = NDArray[np.generic]


@dataclass
class Result:
    """A quantized model. `module` is the integer module; stages that were not reached are None."""

    loaded: LoadedModel
    folded: IRModule
    annotated: IRModule
    plan: Plan
    trace: FoldTrace
    config: QConfig
    rules: RuleSet
    report: Report
    simulated: IRModule | None = None
    integer: IRModule | None = None
    calibration: Calibration = field(default_factory=Calibration)
    profile: list[RuleProfile] = field(default_factory=list)
    """What each rule takes and costs, where `quantize` was asked for it."""
    _built: dict[object, Any] = field(default_factory=dict, repr=False)

    @property
    def module(self) -> IRModule:
        """The module of the last stage that was reached: integer, unless the run was told to stop before."""
        return self.integer or self.simulated or self.annotated

    def build(self, target: object = None, threads: int | None = None) -> Executable:
        """The module compiled: `.run({name: array})`, `.export(path .so)`, `.benchmark()`.

        Raises BuildError where it cannot be compiled for the target.
        """
        from qdsl.lower.compile import compile as compile_module

        key = (str(target), threads)
        if key not in self._built:
            self._built[key] = compile_module(
                joined(self.module),
                target=target,
                threads=threads,
                input_names=[i.name for i in self.loaded.inputs],
                output_names=list(self.loaded.outputs),
            )
        built: Executable = self._built[key]
        return built

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by name; compiled once. More samples than the model's batch are run batch by batch.

        Raises DataError for inputs that do not fit.
        """
        return run_batches(self.build(), self.loaded, inputs)

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def run_batches(runnable: Executable, loaded: LoadedModel, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Runs samples that come with a longer first axis than the model's batch, and joins the outputs along it."""
    arrays = {name: np.asarray(array) for name, array in inputs.items()}
    pieces = _pieces(loaded, arrays)
    if pieces is None:
        return runnable.run(arrays)
    count, batch = pieces
    collected: dict[str, list[Array]] = {}
    for start in range(0, count, batch):
        outputs = runnable.run({n: a[start : start + batch] for n, a in arrays.items()})
        for name, array in outputs.items():
            collected.setdefault(name, []).append(array)
    return {name: np.concatenate(parts) for name, parts in collected.items()}


def _pieces(loaded: LoadedModel, arrays: Mapping[str, Array]) -> tuple[int, int] | None:
    """(samples, batch) where every input has a whole number of the model's batches; None where it has just one."""
    counts: set[tuple[int, int]] = set()
    for spec in loaded.inputs:
        array = arrays.get(spec.name)
        if array is None or not spec.shape or array.ndim != len(spec.shape) or array.shape[1:] != spec.shape[1:]:
            return None
        counts.add((array.shape[0], spec.shape[0]))
    if len(counts) != 1:
        return None
    count, batch = next(iter(counts))
    if count == batch or batch == 0:
        return None
    if count == 0 or count % batch:
        raise DataError(f"{count} samples are no whole number of the model's batches of {batch}; add or drop some.")
    return count, batch
