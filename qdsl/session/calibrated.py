"""Numbers from a calibration: the ranges that `solve` asks for, by the configuration's methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl.calibrate.calibration import Calibration
from qdsl.calibrate.scales import SCALE_FLOOR, next_power_of_two, scale_and_zero, weight_scale
from qdsl.config import QConfig
from qdsl.match.graph import array_of, is_constant
from qdsl.passes.sites import Site


@dataclass(frozen=True)
class CalibratedRanges:
    """Scales and zero points from sketches and constants."""

    calibration: Calibration
    config: QConfig

    def weight_scale(self, site: Site) -> NDArray[np.float64]:
        scheme = site.format.scheme
        return weight_scale(
            array_of(site.value), site.format.axis, scheme, self.config.weight_scale, name=str(site.var.name)
        )

    def constant_range(self, members: Sequence[Site]) -> tuple[NDArray[np.float64], int]:
        low = min(float(array_of(m.value).min(initial=0.0)) for m in members)
        high = max(float(array_of(m.value).max(initial=0.0)) for m in members)
        scale, zero = scale_and_zero(low, high, members[0].format.scheme)
        return np.asarray(scale), zero

    def wide_scale(self, members: Sequence[Site]) -> NDArray[np.float64]:
        greatest = 0.0
        for site in members:
            for value in (site.value, *site.read):
                low, high = self._extremes(value)
                greatest = max(greatest, -low, high)
        scheme = members[0].format.scheme
        scale = np.asarray(max(greatest / (2.0 ** (scheme.used_bits - 1) - 1), SCALE_FLOOR))
        return next_power_of_two(scale) if scheme.pow2 else scale

    def activation(self, members: Sequence[Site]) -> tuple[float, int]:
        scheme = members[0].format.scheme
        ranges = [self._range(m) for m in members]
        low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
        return scale_and_zero(low, high, scheme)

    def _range(self, site: Site) -> tuple[float, float]:
        if is_constant(site.value):
            return self._extremes(site.value)
        assert isinstance(site.value, relax.Var)
        return self.calibration.decide(
            str(site.value.name),
            self.config.calibrate_mode,
            bits=site.format.scheme.used_bits,
            symmetric=site.format.scheme.symmetric,
            percentile=self.config.percentile,
            global_scale=self.config.global_scale,
        )

    def _extremes(self, value: relax.Expr) -> tuple[float, float]:
        if is_constant(value):
            array = array_of(value)
            return float(array.min(initial=0.0)), float(array.max(initial=0.0))
        assert isinstance(value, relax.Var)
        name = str(value.name)
        if name in self.calibration.sketches:
            sketch = self.calibration.sketches[name]
            return float(sketch.minimum), float(sketch.maximum)
        return self.calibration.decide(name)
