"""Observing values over the samples: all in one pass, or a few at a time in several (calibrate_chunk_by).

What is kept of a value is a sketch, and sketches do not depend on which others are taken beside them: the numbers are
the same either way. Fewer values at a time need less memory in a run and as many more runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule

from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.lower.evaluator import Evaluator

Sample = Mapping[str, NDArray[np.generic]]
Run = Callable[[Sample], Mapping[str, NDArray[np.generic]]]


def needs_histogram(config: QConfig) -> bool:
    """Whether the range method looks at more than the ends."""
    return config.calibrate_mode not in ("minmax", "global_scale")


def chunks(names: Sequence[str], by: int) -> Iterator[Sequence[str]]:
    """The names in stretches of `by`; -1 for one stretch."""
    step = len(names) if by < 0 else by
    for start in range(0, len(names), max(step, 1)):
        yield names[start : start + step]


def observe_in_passes(
    module: IRModule, names: Sequence[str], batches: Callable[[], Iterable[Sample]], config: QConfig
) -> Calibration:
    """The calibration of some values of a module, `config.calibrate_chunk_by` of them in each pass over `batches`."""
    calibration = Calibration()
    for count, some in enumerate(chunks(names, config.calibrate_chunk_by)):
        evaluator = Evaluator(module, list(some))
        for sample in batches():
            for name, array in evaluator.run(sample).items():
                calibration.observe(name, array, histogram=needs_histogram(config))
            calibration.samples += count == 0
    return calibration
