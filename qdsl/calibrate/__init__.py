"""Calibration: samples in, sketches of a model's values, ranges, scales. Pure numpy, without TVM and without rules."""

from qdsl.calibrate.calibration import Calibration
from qdsl.calibrate.random import random_samples
from qdsl.calibrate.ranges import MODES, choose_range
from qdsl.calibrate.samples import Samples, SampleSource
from qdsl.calibrate.scales import SCALE_FLOOR, scale_and_zero, weight_scale
from qdsl.calibrate.sketch import Sketch

__all__ = [
    "MODES",
    "SCALE_FLOOR",
    "Calibration",
    "SampleSource",
    "Samples",
    "Sketch",
    "choose_range",
    "random_samples",
    "scale_and_zero",
    "weight_scale",
]
