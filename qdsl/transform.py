"""The stages as TVM passes, for use in a `tvm.transform.Sequential`; each leaves a module that prints.

    seq = tvm.transform.Sequential([Fold(), Annotate(), Calibrate(samples), Realize()])

What a stage decided rides in the module itself (R.qdsl.annotated, R.qdsl.simulated_quantize), so a module may be saved
between stages and taken up again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm
import tvm_ffi
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.calibrate.samples import SampleSource
from qdsl.config import QConfig
from qdsl.errors import BuildError, ConfigError, DataError, ModelError, RuleError
from qdsl.load import load_model
from qdsl.passes.calibrate import sites_of, values_to_observe, write_numbers
from qdsl.passes.solve import solve
from qdsl.ruleset import RuleSet, chosen
from qdsl.session import stages
from qdsl.session.calibrated import CalibratedRanges
from qdsl.session.observe import observe_in_passes

for _error in (RuleError, ModelError, DataError, ConfigError, BuildError):
    # An error that a pass raises comes back out of TVM as the error it was.
    tvm_ffi.register_error(_error)


def _pass(name: str, run: Callable[[IRModule], IRModule]) -> tvm.transform.Pass:
    def transform(module: IRModule, _context: tvm.transform.PassContext) -> IRModule:
        return run(module)

    wrapped = tvm.transform.module_pass(transform, opt_level=0, name=f"qdsl.{name}")
    assert isinstance(wrapped, tvm.transform.Pass)
    return wrapped


def _chosen(rules: RuleSet | None, config: QConfig | None) -> tuple[RuleSet, QConfig]:
    return chosen(rules), config or QConfig()


def Fold(rules: RuleSet | None = None, config: QConfig | None = None) -> tvm.transform.Pass:
    """Float to float: a module with one dataflow block, constants bound, to the same with fold rules applied."""
    used, options = _chosen(rules, config)
    return _pass("Fold", lambda module: stages.fold(module, used, options))


def Annotate(rules: RuleSet | None = None, config: QConfig | None = None) -> tvm.transform.Pass:
    """Formats by rules: coercions and results as R.qdsl.simulated_quantize and R.qdsl.annotated, scales as symbols."""
    used, options = _chosen(rules, config)
    return _pass("Annotate", lambda module: stages.annotate(module, used, options).module)


def Calibrate(samples: Any, config: QConfig | None = None) -> tvm.transform.Pass:
    """Numbers for the scales of an annotated module, from samples (as `qdsl.quantize` takes them) or a Calibration."""
    options = config or QConfig()
    return _pass("Calibrate", lambda module: calibrate_module(module, samples, options)[0])


def Realize(rules: RuleSet | None = None, config: QConfig | None = None) -> tvm.transform.Pass:
    """Integers: a calibrated module to one whose rules' operators compute on codes."""
    used, options = _chosen(rules, config)
    return _pass("Realize", lambda module: stages.realize(module, used, options))


def Quantize(samples: Any, rules: RuleSet | None = None, config: QConfig | None = None) -> tvm.transform.Pass:
    """All stages in one pass."""
    used, options = _chosen(rules, config)

    def run(module: IRModule) -> IRModule:
        annotated = stages.annotate(stages.fold(module, used, options), used, options).module
        calibrated = calibrate_module(annotated, samples, options)[0]
        return calibrated if options.do_simulation else stages.realize(calibrated, used, options)

    return _pass("Quantize", run)


def calibrate_module(module: IRModule, samples: Any, config: QConfig) -> tuple[IRModule, Calibration]:
    """An annotated module with numbers, and the calibration that they come from.

    Raises DataError for samples that do not fit the module's inputs.
    """
    calibration = samples if isinstance(samples, Calibration) else Calibration()
    names = [str(v.name) for v in values_to_observe(module)]
    if names and calibration is not samples:
        source, inputs = SampleSource(samples, keep=config.calibrate_chunk_by > 0), load_model(module).inputs
        calibration = observe_in_passes(module, names, lambda: source.batches(inputs), config)
    numbers = solve(sites_of(module), CalibratedRanges(calibration, config), config.nbit_activation)
    return write_numbers(module, numbers), calibration


__all__ = ["Annotate", "Calibrate", "Fold", "Quantize", "Realize", "calibrate_module"]
