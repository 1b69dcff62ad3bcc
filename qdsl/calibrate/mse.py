"""The range with the least expected squared error.

For a range [l, h] in b bits with steps D = (h - l) / (2^b - 1), or / (2^b - 2) where the range is symmetric, numbers
inside are off by a rounding error of variance D^2 / 12 (uniform over a step; Widrow and Kollar, 2008) and numbers
outside by their distance to the range:

    E(l, h) = n * D^2 / 12  +  sum over x < l of (l - x)^2  +  sum over x > h of (x - h)^2

n leaves out the exact zeros, which every format represents. With sums of counts, centres and squared centres of bins
from either end, the two clipping terms cost O(1) per candidate: sum (x - h)^2 = S2 - 2 h S1 + h^2 S0. Candidates are
the edges of bins. E is convex in (l, h), so improving one end at a time finds the least; symmetric ranges are l = -h.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.histogram import HALF, Histogram
from qdsl.calibrate.sketch import Sketch

Floats = NDArray[np.float64]

_ROUNDS = 50
"""Bound on the alternations; each lowers the error, and ten are rarely needed."""


def mse_range(sketch: Sketch, histogram: Histogram, *, bits: int, symmetric: bool) -> tuple[float, float]:
    """(low, high), low <= 0 <= high, within the sketch's own ends (extended to zero)."""
    counts = histogram.counts.astype(np.float64)
    counts[HALF] -= sketch.zeros
    steps = 2.0**bits - (2 if symmetric else 1)
    positive, negative = counts[HALF:], counts[HALF - 1 :: -1]
    clip_high, clip_low = (_clipping(side, histogram.width) for side in (positive, negative))
    reach = np.arange(HALF + 1, dtype=np.float64) * histogram.width
    rounding = counts.sum() / (12 * steps**2)
    if symmetric:
        best = int(np.argmin(rounding * (2 * reach) ** 2 + clip_high + clip_low))
        low, high = -float(reach[best]), float(reach[best])
    else:
        low, high = _alternate(reach, clip_low, clip_high, rounding)
    return max(low, min(sketch.minimum, 0.0)) + 0.0, min(high, max(sketch.maximum, 0.0))


def _clipping(side: Floats, width: float) -> Floats:
    """Element k: the squared error of clipping one side's numbers at magnitude k * width; `side` counts outwards."""
    centres = (np.arange(len(side)) + 0.5) * width
    edges = np.arange(len(side) + 1) * width
    weight, first, second = (np.append(np.cumsum((side * centres**power)[::-1])[::-1], 0.0) for power in (0, 1, 2))
    return np.asarray(second - 2 * edges * first + edges**2 * weight)


def _alternate(reach: Floats, clip_low: Floats, clip_high: Floats, rounding: float) -> tuple[float, float]:
    """Coordinate descent from the whole range."""
    low = high = float(reach[-1])
    for _ in range(_ROUNDS):
        before = (low, high)
        high = float(reach[int(np.argmin(rounding * (reach + low) ** 2 + clip_high))])
        low = float(reach[int(np.argmin(rounding * (reach + high) ** 2 + clip_low))])
        if (low, high) == before:
            break
    return -low, high
