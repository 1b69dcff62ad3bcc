"""From a sketch to a range: the calibration methods.

minmax         from the least to the greatest number seen
percentile     cuts (100 - percentile) % of all numbers at either end, or of the magnitudes when symmetric
mse            the range with the least expected squared error (see mse.py)
entropy        the range whose quantized distribution is nearest to the observed one (see entropy.py);
               kl_divergence is another name for it
global_scale   plus and minus a given threshold, whatever was seen
"""

from __future__ import annotations

import difflib

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.entropy import entropy_range
from qdsl.calibrate.histogram import HALF, Histogram
from qdsl.calibrate.mse import mse_range
from qdsl.calibrate.sketch import Sketch
from qdsl.errors import ConfigError, DataError

MODES = ("minmax", "percentile", "mse", "entropy", "kl_divergence", "global_scale")

Range = tuple[float, float]


def choose_range(
    sketch: Sketch,
    mode: str,
    *,
    bits: int = 8,
    symmetric: bool = False,
    percentile: float = 99.99,
    global_scale: float = 8.0,
) -> Range:
    """(low, high) of the values to be represented, low <= high, within what was seen (but for global_scale).

    `bits` is the width of the codes and `symmetric` says that the range will be made symmetric about zero; mse and
    entropy take both into account. `percentile` is in percent, above 50 and up to 100.

    Raises:
        ConfigError: an unknown mode, or a percentile or threshold outside what it accepts.
        DataError: a value that was never seen, or only without the histogram that the mode needs.
    """
    if mode not in MODES:
        raise ConfigError(f"There is no calibrate_mode '{mode}'; it must be one of {', '.join(MODES)}.{_nearest(mode)}")
    if mode == "global_scale":
        if not 0 < global_scale <= 1e18:
            raise ConfigError(f"global_scale is a positive threshold of at most 1e18, not {global_scale!r}.")
        return -float(global_scale), float(global_scale)
    if sketch.count == 0:
        raise DataError(f"Value '{sketch.name}' was not seen in calibration, so it has no range; calibrate again.")
    if mode == "minmax":
        return sketch.minimum, sketch.maximum
    if sketch.histogram is None:
        raise DataError(
            f"Value '{sketch.name}' was observed without a histogram, which calibrate_mode '{mode}' needs; "
            f"calibrate again, or use minmax."
        )
    if mode == "percentile":
        ends = _percentile_range(sketch, sketch.histogram, percentile, symmetric)
    else:
        find = mse_range if mode == "mse" else entropy_range
        ends = find(sketch, sketch.histogram, bits=bits, symmetric=symmetric)
    return min(ends), max(ends)  # a threshold inside the only bin may lie short of all numbers, being of one sign


def _percentile_range(sketch: Sketch, histogram: Histogram, percentile: float, symmetric: bool) -> Range:
    if not 50 < percentile <= 100:
        raise ConfigError(f"percentile is a percentage above 50 and up to 100, not {percentile!r}.")
    share = percentile / 100
    if symmetric:
        magnitudes = histogram.counts[HALF:] + histogram.counts[HALF - 1 :: -1]
        threshold = _quantile(magnitudes, 0.0, histogram.width, share)
        return max(sketch.minimum, -threshold), min(sketch.maximum, threshold)
    start = float(histogram.edges[0])
    low, high = (_quantile(histogram.counts, start, histogram.width, part) for part in (1 - share, share))
    low, high = (min(max(end, sketch.minimum), sketch.maximum) for end in (low, high))
    return low, high


def _quantile(counts: NDArray[np.int64], start: float, width: float, share: float) -> float:
    """The number below which a share of the counted numbers lies, linear within a bin; bins begin at `start`."""
    below = np.cumsum(counts)
    wanted = share * float(below[-1])
    place = min(int(np.searchsorted(below, wanted)), len(counts) - 1)
    inside = float(counts[place])
    part = (wanted - float(below[place] - counts[place])) / inside if inside else 0.0
    return start + (place + part) * width


def _nearest(mode: str) -> str:
    close = difflib.get_close_matches(mode, MODES, n=1, cutoff=0.4)
    return f" Did you mean {close[0]}?" if close else ""
