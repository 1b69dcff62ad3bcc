"""The range whose quantized distribution is nearest to the observed one.

The method of TensorRT (Migacz, 2017): for each candidate threshold the observed histogram P, with all that lies outside
added to its outermost bins, is compared with Q, which has the inner bins merged into as many groups as there are codes
and each group's count spread over its bins that are not empty. The threshold with the least Kullback-Leibler
divergence wins:

    D(P || Q) = sum over bins of p log(p / q),        p, q normalised

Within a group q is constant, so D = (sum p log p - sum over groups of P_g log(Q_g / bins_g)) / N + log(N_q / N): prefix
sums make a candidate cost one pass over the groups, not over the bins. A group that holds nothing but what was added
from outside counts as half a number in Q, or a single far outlier could never be cut off. Exact zeros, which every
format represents, are left out. A threshold t cuts the observed range to [-t, t]; ties go to the wider range.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.histogram import HALF, Histogram
from qdsl.calibrate.sketch import Sketch

Floats = NDArray[np.float64]

_CANDIDATES = 256
_UNSEEN = 0.5


def entropy_range(sketch: Sketch, histogram: Histogram, *, bits: int, symmetric: bool) -> tuple[float, float]:
    """(low, high) within the sketch's own ends."""
    counts = histogram.counts.astype(np.float64)
    counts[HALF] -= sketch.zeros
    occupied = np.flatnonzero(counts)
    levels = 2**bits
    if occupied.size == 0:
        return sketch.minimum, sketch.maximum
    below, above = max(HALF - int(occupied[0]), 0), max(int(occupied[-1]) + 1 - HALF, 0)
    widest = max(below, above)
    if symmetric:
        below = above = widest
    # A range of no more bins than codes cannot be told from its quantization.
    narrowest = next((k for k in range(1, widest) if min(k, below) + min(k, above) > levels), widest)
    thresholds = np.unique(np.linspace(narrowest, widest, _CANDIDATES).astype(int))
    sums = _Sums(counts)
    divergence = [sums.divergence(HALF - min(k, below), HALF + min(k, above), levels) for k in thresholds]
    best = len(thresholds) - 1 - int(np.argmin(divergence[::-1]))
    threshold = float(thresholds[best]) * histogram.width
    return max(sketch.minimum, -threshold), min(sketch.maximum, threshold)


class _Sums:
    """Prefix sums over the bins: element i is the sum over the bins before i."""

    def __init__(self, counts: Floats) -> None:
        self.counts = counts
        self.count = _prefix(counts)
        self.filled = _prefix((counts > 0).astype(np.float64))
        self.entropy = _prefix(_x_log_x(counts))

    def divergence(self, first: int, last: int, levels: int) -> float:
        """D(P || Q) for the bins [first, last) in `levels` groups."""
        total = self.count[-1]
        outside = np.array([self.count[first], total - self.count[last]])
        ends = np.array([first, last - 1])
        borders = first + np.arange(levels + 1) * (last - first) // levels
        grouped, filled = np.diff(self.count[borders]), np.diff(self.filled[borders])
        observed = grouped.copy()
        gained = (outside > 0) & (self.counts[ends] == 0)
        for group, more, newly in zip((0, -1), outside, gained, strict=True):
            observed[group] += more
            filled[group] += newly
        entropy = self.entropy[last] - self.entropy[first]
        entropy += float(np.sum(_x_log_x(self.counts[ends] + outside) - _x_log_x(self.counts[ends])))
        used = observed > 0
        held = np.where(grouped[used] > 0, grouped[used], _UNSEEN)
        cross = float(np.sum(observed[used] * np.log(held / filled[used])))
        return float((entropy - cross) / total + np.log(held.sum() / total))


def _prefix(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])


def _x_log_x(values: Floats) -> Floats:
    return values * np.log(np.maximum(values, 1.0))
