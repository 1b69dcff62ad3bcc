"""The file of a Calibration: one .npz without pickles.

format, version, samples             "qdsl calibration", 1, an integer
names                                of the sketches
ends        (n, 2) float64           minimum and maximum
numbers     (n, 2) int64             count and zeros
axes        (n,) int64               axis of the channels, NO_AXIS where there are none
exponents   (n,) int64               of the bin widths, NO_HISTOGRAM where there is none
spans       (n, 2) int64             first occupied bin and one past the last
counts      (sum of spans,) int64    the occupied bins of all histograms, one after the other
channels    (n,) int64               how many channels; their ends follow one another in
channel_ends (sum of channels, 2) float64
range_names, ranges (m, 2) float64
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.histogram import BINS, SMALLEST_EXPONENT, Histogram
from qdsl.calibrate.sketch import RANGE_LIMIT, Sketch
from qdsl.errors import DataError

FORMAT = "qdsl calibration"
VERSION = 1
NO_AXIS = NO_HISTOGRAM = -(2**31)

Arrays = Mapping[str, NDArray[np.generic]]
Contents = tuple[dict[str, Sketch], dict[str, tuple[float, float]], int]


def write_calibration(
    path: str | Path, sketches: Mapping[str, Sketch], ranges: Mapping[str, tuple[float, float]], samples: int
) -> Path:
    """Write to `path` by way of a temporary file beside it. Raises DataError when that fails."""
    where = Path(path)
    where = where if where.suffix == ".npz" else where.with_name(where.name + ".npz")
    draft = where.with_name(f".{where.name}.{os.getpid()}.tmp")
    arrays: dict[str, Any] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "samples": np.array(samples),
        "names": np.array(list(sketches), dtype=np.str_),
        "range_names": np.array(list(ranges), dtype=np.str_),
        "ranges": np.array(list(ranges.values()), np.float64).reshape(-1, 2),
        **_arrays(list(sketches.values())),
    }
    try:
        with draft.open("wb") as file:
            np.savez_compressed(file, **arrays)
        draft.replace(where)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise DataError(f"The calibration cannot be written to {where}: {error.strerror or error}.") from error
    return where


def read_calibration(path: str | Path) -> Contents:
    """Sketches, ranges and the number of samples. Raises DataError for what is not such a file."""
    where = Path(path)
    if not where.is_file():
        raise DataError(f"{where} is not a file; a calibration is the .npz that Calibration.save wrote.")
    try:
        with np.load(where, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError, TypeError) as error:
        raise DataError(f"{where} cannot be read as a calibration: it is damaged or no .npz file.") from error
    if str(arrays.get("format")) != FORMAT:
        raise DataError(f"{where} is an .npz file, but no calibration that qdsl wrote.")
    if not np.array_equal(arrays.get("version", -1), VERSION):
        raise DataError(f"{where} has version {arrays.get('version')} of the calibration format; this qdsl reads 1.")
    try:
        return _contents(arrays)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise DataError(f"{where} is a damaged calibration: its parts do not fit together.") from error


def _arrays(sketches: list[Sketch]) -> dict[str, NDArray[np.generic]]:
    bins = [(0, 0) if s.histogram is None else _occupied(s.histogram.counts) for s in sketches]
    counts = [s.histogram.counts[a:b] for s, (a, b) in zip(sketches, bins, strict=True) if s.histogram is not None]
    pairs = [(s.channel_minimum, s.channel_maximum) for s in sketches]
    channels = [np.stack([low, high], 1) for low, high in pairs if low is not None and high is not None]
    return {
        "ends": np.array([(s.minimum, s.maximum) for s in sketches], np.float64).reshape(-1, 2),
        "numbers": np.array([(s.count, s.zeros) for s in sketches], np.int64).reshape(-1, 2),
        "axes": np.array([NO_AXIS if s.axis is None else s.axis for s in sketches], np.int64),
        "exponents": np.array([s.histogram.exponent if s.histogram else NO_HISTOGRAM for s in sketches], np.int64),
        "spans": np.array(bins, np.int64).reshape(-1, 2),
        "counts": np.concatenate([np.zeros(0, np.int64), *counts]),
        "channels": np.array([0 if low is None else low.size for low, _ in pairs], np.int64),
        "channel_ends": np.concatenate([np.zeros((0, 2)), *channels]),
    }


def _occupied(counts: NDArray[np.int64]) -> tuple[int, int]:
    filled = np.flatnonzero(counts)
    return (int(filled[0]), int(filled[-1]) + 1) if filled.size else (0, 0)


def _contents(arrays: Arrays) -> Contents:
    names = [str(name) for name in arrays["names"]]
    counts, channel_ends = arrays["counts"], arrays["channel_ends"].astype(np.float64)
    sketches: dict[str, Sketch] = {}
    bin_at = channel_at = 0
    for i, name in enumerate(names):
        axis, exponent = int(arrays["axes"][i]), int(arrays["exponents"][i])
        sketch = Sketch(name, axis=None if axis == NO_AXIS else axis, histogram=exponent != NO_HISTOGRAM)
        sketch.minimum, sketch.maximum = (float(end) for end in arrays["ends"][i])
        sketch.count, sketch.zeros = (int(number) for number in arrays["numbers"][i])
        first, last = (int(place) for place in arrays["spans"][i])
        if sketch.histogram is not None:
            held = counts[bin_at : bin_at + last - first].astype(np.int64)
            sketch.histogram = _histogram(exponent, first, last, held)
        bin_at += last - first
        size = int(arrays["channels"][i])
        if size:
            ends = channel_ends[channel_at : channel_at + size]
            sketch.channel_minimum, sketch.channel_maximum = ends[:, 0].copy(), ends[:, 1].copy()
        channel_at += size
        sketches[name] = _checked(sketch)
    if bin_at != len(counts) or channel_at != len(channel_ends) or len(sketches) != len(names):
        raise ValueError("lengths")
    ranges = {
        str(n): (float(low), float(high))
        for n, (low, high) in zip(arrays["range_names"], arrays["ranges"], strict=True)
    }
    if not all(-RANGE_LIMIT <= low <= high <= RANGE_LIMIT for low, high in ranges.values()):
        raise ValueError("ranges")
    return sketches, ranges, int(arrays["samples"])


def _histogram(exponent: int, first: int, last: int, held: NDArray[np.int64]) -> Histogram:
    if not 0 <= first <= last <= BINS or len(held) != last - first or np.any(held < 0) or exponent < SMALLEST_EXPONENT:
        raise ValueError("histogram")
    counts = np.zeros(BINS, np.int64)
    counts[first:last] = held
    return Histogram(exponent, counts)


def _checked(sketch: Sketch) -> Sketch:
    ordered = -RANGE_LIMIT <= sketch.minimum <= sketch.maximum <= RANGE_LIMIT and 0 <= sketch.zeros <= sketch.count
    if not ordered or (sketch.histogram is not None and int(sketch.histogram.counts.sum()) != sketch.count):
        raise ValueError("sketch")
    return sketch
