"""What is kept of a value over all samples: its ends, how many numbers, how many zeros, and a histogram.

A sketch has a fixed size, and two sketches of disjoint samples merge into the one of all samples, exactly: every field
is a minimum, a maximum or an integer sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.histogram import Histogram
from qdsl.errors import DataError

RANGE_LIMIT = 1e18
"""Magnitudes beyond it are no measurements but sentinels (an attention mask's -1e38) or accidents."""


class Sketch:
    """The observations of one value."""

    def __init__(self, name: str = "", *, axis: int | None = None, histogram: bool = True) -> None:
        """
        Args:
            name: the value's name, for messages.
            axis: also keep both ends per channel along this axis.
            histogram: False for only ends and counts, a tenth of the time; then only minmax and global_scale work.
        """
        self.name = name
        self.axis = axis
        self.count = 0
        self.zeros = 0
        """How many of the numbers were exactly zero."""
        self.minimum = 0.0
        self.maximum = 0.0
        """Both ends are 0 while count is 0."""
        self.histogram = Histogram() if histogram else None
        self.channel_minimum: NDArray[np.float64] | None = None
        self.channel_maximum: NDArray[np.float64] | None = None
        """(channels,) along `axis`, once something was seen."""

    @property
    def absmax(self) -> float:
        return max(-self.minimum, self.maximum, 0.0)

    @property
    def channel_absmax(self) -> NDArray[np.float64] | None:
        """(channels,) along `axis`, or None."""
        if self.channel_minimum is None or self.channel_maximum is None:
            return None
        return np.maximum(np.abs(self.channel_minimum), np.abs(self.channel_maximum))

    def update(self, array: NDArray[np.generic]) -> None:
        """Observe an array of real numbers of any shape; an empty one is no observation.

        Raises:
            DataError: a NaN, an infinity or a magnitude beyond 1e18, by the value's name; nothing is then recorded.
        """
        values = np.asarray(array)
        if values.size == 0:
            return
        low, high = float(values.min()) + 0.0, float(values.max()) + 0.0
        if not (low >= -RANGE_LIMIT and high <= RANGE_LIMIT):
            raise DataError(_out_of_range(self.name, low, high))
        first = self.count == 0
        self.minimum = low if first else min(low, self.minimum)
        self.maximum = high if first else max(high, self.maximum)
        self.count += values.size
        self.zeros += int(np.count_nonzero(values == 0))
        if self.histogram is not None:
            self.histogram.update(values, max(-low, high, 0.0))
        if self.axis is not None:
            self._observe_channels(values, self.axis)

    def merge(self, other: Sketch) -> Sketch:
        """The sketch of what both have seen; neither changes.

        Raises:
            DataError: they were kept along different axes, or over different numbers of channels.
        """
        if self.axis != other.axis:
            raise DataError(f"The calibrations of value '{self.name}' lie along different axes; calibrate it again.")
        both = self.histogram is not None and other.histogram is not None
        result = Sketch(self.name or other.name, axis=self.axis, histogram=both)
        seen = [part for part in (self, other) if part.count]
        result.count = self.count + other.count
        result.zeros = self.zeros + other.zeros
        result.minimum = min((part.minimum for part in seen), default=0.0)
        result.maximum = max((part.maximum for part in seen), default=0.0)
        if self.histogram is not None and other.histogram is not None:
            result.histogram = self.histogram.merged(other.histogram)
        for part in seen:
            if part.channel_minimum is not None and part.channel_maximum is not None:
                result._take_channels(part.channel_minimum, part.channel_maximum)
        return result

    def _observe_channels(self, values: NDArray[np.generic], axis: int) -> None:
        others = tuple(i for i in range(values.ndim) if i != axis % values.ndim)
        self._take_channels(values.min(axis=others).astype(np.float64), values.max(axis=others).astype(np.float64))

    def _take_channels(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        if self.channel_minimum is None or self.channel_maximum is None:
            self.channel_minimum, self.channel_maximum = low, high
            return
        if low.shape != self.channel_minimum.shape:
            raise DataError(
                f"Value '{self.name}' has {low.size} channels in one sample and {self.channel_minimum.size} in another."
            )
        self.channel_minimum = np.minimum(low, self.channel_minimum)
        self.channel_maximum = np.maximum(high, self.channel_maximum)


def _out_of_range(name: str, low: float, high: float) -> str:
    what = "is not a number (NaN) somewhere" if low != low or high != high else f"ranges from {low:g} to {high:g}"
    value = f"Value '{name}'" if name else "A value"
    return (
        f"{value} {what} in calibration; a range must be finite and within +-1e18. "
        f"Look at the samples, or leave the operator that makes it in float (skip)."
    )
