"""Calibration data as a command line names it: a file, `random`, or what an earlier run found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qdsl.errors import DataError

RANDOM_BATCHES = 8
"""As many batches of random numbers; more would not make them mean more."""


def samples_for(calib: str | None, calibration: Path | None, model: Path, shapes: Mapping[str, tuple[int, ...]]) -> Any:
    """What `quantize` takes as calibration. Raises DataError where none or two are named."""
    if (calib is None) == (calibration is None):
        named = "both are given" if calib else "neither is given"
        raise DataError(
            f"samples come from --calib DATA.npz (or --calib random), or what was found in them from --calibration "
            f"FILE.npz: {named}"
        )
    if calibration is not None:
        from qdsl.calibrate import Calibration

        return Calibration.load(calibration)
    if calib == "random":
        from qdsl.calibrate import random_samples
        from qdsl.load import load_model

        return random_samples(load_model(model, shapes=shapes).inputs, RANDOM_BATCHES)
    return calib
