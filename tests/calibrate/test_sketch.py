"""Sketches: the same whatever the order and the sharding of the samples, bounded, and strict about numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdsl.calibrate import Sketch
from qdsl.calibrate.histogram import BINS, HALF, Histogram
from qdsl.errors import DataError

numbers = st.one_of(
    st.floats(-(2.0**59), 2.0**59, width=32),
    st.floats(-1, 1, width=32),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1024.0, -1024.0, 2.0**-120, -(2.0**-120), 1e-45, -1e-45, 2048.0]),
)
arrays = st.lists(numbers, min_size=0, max_size=8).map(lambda values: np.array(values, np.float32))


def sketch_of(*parts: np.ndarray) -> Sketch:
    sketch = Sketch("v")
    for part in parts:
        sketch.update(part)
    return sketch


def assert_same(one: Sketch, other: Sketch) -> None:
    assert (one.count, one.zeros, one.minimum, one.maximum) == (other.count, other.zeros, other.minimum, other.maximum)
    assert one.histogram.exponent == other.histogram.exponent
    np.testing.assert_array_equal(one.histogram.counts, other.histogram.counts)


@given(st.lists(arrays, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_order_and_sharding_do_not_matter(parts: list[np.ndarray], random: object) -> None:
    whole = sketch_of(np.concatenate(parts))
    assert_same(sketch_of(*parts), whole)
    shuffled = parts.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert_same(sketch_of(*shuffled), whole)
    cut = len(parts) // 2
    merged = sketch_of(*parts[:cut]).merge(sketch_of(*parts[cut:]))
    assert_same(merged, whole)


@given(arrays.filter(len))
def test_every_number_is_in_its_bin(values: np.ndarray) -> None:
    histogram = sketch_of(values).histogram
    bins = np.floor(values.astype(np.float64) / histogram.width).astype(int)
    assert bins.min() >= -HALF
    assert bins.max() < HALF
    np.testing.assert_array_equal(histogram.counts, np.bincount(bins + HALF, minlength=BINS))
    assert histogram.edges[HALF] == 0
    assert np.all(np.diff(histogram.edges) == histogram.width)


@given(st.floats(2.0**-90, 2.0**59, width=32))
def test_the_greatest_magnitude_has_a_thousand_bins_below_it(value: float) -> None:
    histogram = sketch_of(np.array([value], np.float32)).histogram
    assert HALF / 2 <= value / histogram.width < HALF


def test_memory_does_not_grow() -> None:
    sketch = Sketch("v")
    for i in range(30):
        sketch.update(np.full(1000, 10.0**i * 1e-12, np.float32))
    assert sketch.histogram.counts.shape == (BINS,)
    assert sketch.histogram.counts.sum() == sketch.count == 30_000


def test_dtypes_and_shapes() -> None:
    values = np.array([[-3, 0], [5, 100]])
    for dtype in ("int8", "int64", "uint8", "float16", "float64"):
        sketch = sketch_of((values if dtype != "uint8" else np.abs(values)).astype(dtype))
        assert (sketch.minimum, sketch.maximum) == ((-3, 100) if dtype != "uint8" else (0, 100))
        assert (sketch.count, sketch.zeros) == (4, 1)
    assert_same(sketch_of(values.astype("float64")), sketch_of(values.astype("float32")))
    assert_same(sketch_of(values.astype("float32")), sketch_of(values.astype("float32")[::-1, ::-1]))


def test_nothing_seen() -> None:
    sketch = sketch_of(np.zeros((0, 3), np.float32))
    assert (sketch.count, sketch.minimum, sketch.maximum, sketch.absmax) == (0, 0, 0, 0)
    assert_same(sketch.merge(sketch_of(np.array([2.0, 3.0], np.float32))), sketch_of(np.array([2.0, 3.0], np.float32)))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.nan, r"Value 'conv1' is not a number \(NaN\) somewhere in calibration"),
        (np.inf, "Value 'conv1' ranges from 0 to inf in calibration"),
        (-np.inf, "ranges from -inf to 1"),
        (-3.4e38, r"ranges from -3\.4e\+38 to 1 in calibration; a range must be finite and within \+-1e18"),
    ],
)
def test_numbers_that_are_no_measurements_are_refused(bad: float, message: str) -> None:
    sketch = Sketch("conv1")
    with pytest.raises(DataError, match=message):
        sketch.update(np.array([0.0, 1.0, bad], np.float32))
    assert sketch.count == 0
    assert not sketch.histogram.counts.any()


def test_channels() -> None:
    values = np.arange(-12, 12, dtype=np.float32).reshape(2, 3, 4)
    sketch = Sketch("v", axis=-2)
    sketch.update(values[:1])
    sketch.update(values[1:])
    np.testing.assert_array_equal(sketch.channel_minimum, [-12, -8, -4])
    np.testing.assert_array_equal(sketch.channel_maximum, [3, 7, 11])
    np.testing.assert_array_equal(sketch.channel_absmax, [12, 8, 11])
    other = Sketch("v", axis=-2)
    other.update(values + 5)
    np.testing.assert_array_equal(sketch.merge(other).channel_maximum, [8, 12, 16])
    with pytest.raises(DataError, match="has 4 channels in one sample and 3 in another"):
        sketch.update(np.zeros((1, 4, 4), np.float32))
    with pytest.raises(DataError, match="lie along different axes"):
        sketch.merge(Sketch("v"))


def test_without_a_histogram() -> None:
    sketch = Sketch("v", histogram=False)
    sketch.update(np.array([-1.0, 2.0], np.float32))
    assert sketch.histogram is None
    assert (sketch.minimum, sketch.maximum) == (-1, 2)
    assert sketch.merge(sketch_of(np.array([3.0], np.float32))).maximum == 3


def test_a_histogram_merges_with_a_much_finer_one() -> None:
    coarse, fine = Histogram(), Histogram()
    coarse.update(np.array([1e18, -1e18]), 1e18)
    fine.update(np.array([1e-30, -1e-30]), 1e-30)
    merged = coarse.merged(fine)
    assert merged.counts[HALF] == merged.counts[HALF - 1] == 1
    assert merged.counts.sum() == 4
