"""A histogram whose result does not depend on the order or the sharding of what it saw.

Bins are [i * w, (i + 1) * w) for i = -2048 .. 2047, aligned to zero, and the width w is a power of two:

    w = 2^(e - 11)   where 2^e is the least power of two above every magnitude seen

When the range grows the width doubles as often as needed and bin i moves to bin floor(i / 2). Since
floor(floor(x / w) / 2) = floor(x / 2w), a histogram that grew is the one that would have been made with the final width
from the beginning, and the final width depends on the greatest magnitude alone. Dividing by w is exact in float32.
Between 1024 and 2048 bins lie on the side of the greatest magnitude. 32 KiB a histogram, however many values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

HALF = 2048
BINS = 2 * HALF
_HALF_BITS = 11
SMALLEST_EXPONENT = -111
"""Of the width: its reciprocal is still a float32. Magnitudes below 2^-111 all count as nearly zero."""


class Histogram:
    """Counts per bin; `update` adds values, `merged` adds two histograms."""

    def __init__(self, exponent: int = SMALLEST_EXPONENT, counts: NDArray[np.int64] | None = None) -> None:
        self.exponent = exponent
        """log2 of the bin width."""
        self.counts = np.zeros(BINS, np.int64) if counts is None else counts
        """(4096,); element i counts the values in [(i - 2048) * width, (i - 2047) * width)."""

    @property
    def width(self) -> float:
        return 2.0**self.exponent

    @property
    def edges(self) -> NDArray[np.float64]:
        """(4097,): the borders of the bins; edges[2048] is 0."""
        return np.arange(-HALF, HALF + 1, dtype=np.float64) * self.width

    def update(self, values: NDArray[np.generic], absmax: float) -> None:
        """Count finite values of any shape; `absmax` is the greatest magnitude among them."""
        self._grow(exponent_for(absmax))
        # With a width above 1 the quotient of a tiny negative float32 would underflow to zero, into the wrong bin.
        flat = values.ravel()
        exact = flat if flat.dtype == np.float32 and self.exponent <= 0 else flat.astype(np.float64)
        scaled = np.multiply(exact, exact.dtype.type(2.0**-self.exponent))
        np.floor(scaled, out=scaled)
        self.counts += np.bincount(scaled.astype(np.int64) + HALF, minlength=BINS)

    def merged(self, other: Histogram) -> Histogram:
        """The histogram of the values of both."""
        exponent = max(self.exponent, other.exponent)
        return Histogram(exponent, self._coarsened(exponent) + other._coarsened(exponent))

    def _grow(self, exponent: int) -> None:
        if exponent > self.exponent:
            self.counts = self._coarsened(exponent)
            self.exponent = exponent

    def _coarsened(self, exponent: int) -> NDArray[np.int64]:
        if exponent == self.exponent:
            return self.counts
        place = (np.arange(-HALF, HALF) >> min(exponent - self.exponent, 63)) + HALF
        counts = np.zeros(BINS, np.int64)
        np.add.at(counts, place, self.counts)
        return counts


def exponent_for(absmax: float) -> int:
    """log2 of the width at which magnitudes up to `absmax` have a bin."""
    return max(math.frexp(absmax)[1] - _HALF_BITS, SMALLEST_EXPONENT) if absmax > 0 else SMALLEST_EXPONENT
