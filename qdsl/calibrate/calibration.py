"""A Calibration: what was learnt of a model's values from samples, by the values' names.

It holds a sketch of each value and the ranges that were decided from them. Sketches are exact sums, so calibrations of
disjoint samples add up to the calibration of all of them; ranges follow from sketches and are decided again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.file import read_calibration, write_calibration
from qdsl.calibrate.ranges import choose_range
from qdsl.calibrate.sketch import Sketch
from qdsl.errors import DataError

Range = tuple[float, float]


@dataclass
class Calibration:
    """Observations and ranges of a model's values."""

    sketches: dict[str, Sketch] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)
    """(low, high) as last decided, or set by hand."""
    samples: int = 0
    """How many batches of the model's shape were observed."""

    def observe(
        self, name: str, array: NDArray[np.generic], *, axis: int | None = None, histogram: bool = True
    ) -> None:
        """Add an array to the sketch of value `name`; `axis` and `histogram` as in Sketch, at the first sight.

        Raises:
            DataError: a number that is not finite or beyond 1e18, by the value's name.
        """
        if name not in self.sketches:
            self.sketches[name] = Sketch(name, axis=axis, histogram=histogram)
        self.sketches[name].update(array)

    def observe_all(self, values: Mapping[str, NDArray[np.generic]], *, histogram: bool = True) -> None:
        """Add one sample's values and count it."""
        for name, array in values.items():
            self.observe(name, array, histogram=histogram)
        self.samples += 1

    def decide(
        self,
        name: str,
        mode: str = "minmax",
        *,
        bits: int = 8,
        symmetric: bool = False,
        percentile: float = 99.99,
        global_scale: float = 8.0,
    ) -> Range:
        """The range of value `name` by `choose_range`, kept in `ranges`; without a sketch, the range that is there.

        Raises:
            ConfigError: an unknown mode or a bad parameter of it.
            DataError: a value of which nothing is known.
        """
        sketch = self.sketches.get(name)
        if sketch is None and mode != "global_scale":
            if name in self.ranges:
                return self.ranges[name]
            raise DataError(f"This calibration does not know value '{name}'; calibrate the model again.")
        self.ranges[name] = choose_range(
            sketch or Sketch(name),
            mode,
            bits=bits,
            symmetric=symmetric,
            percentile=percentile,
            global_scale=global_scale,
        )
        return self.ranges[name]

    def __add__(self, other: Calibration) -> Calibration:
        """The calibration of both sets of samples. Ranges decided from a sketch that grew are left out."""
        if not isinstance(other, Calibration):
            return NotImplemented
        sketches = {**self.sketches, **other.sketches}
        for name in self.sketches.keys() & other.sketches.keys():
            sketches[name] = self.sketches[name].merge(other.sketches[name])
        ranges = {
            name: limits
            for name, limits in {**self.ranges, **other.ranges}.items()
            if not (name in self.sketches and name in other.sketches)
        }
        return Calibration(dict(sorted(sketches.items())), ranges, self.samples + other.samples)

    def save(self, path: str | Path) -> Path:
        """Write to an .npz file, whole or not at all; the path, with .npz added where it was missing.

        Raises:
            DataError: a path that cannot be written.
        """
        return write_calibration(path, self.sketches, self.ranges, self.samples)

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what `save` wrote.

        Raises:
            DataError: a file that is missing, damaged, of another kind or of a later version.
        """
        return cls(*read_calibration(path))
