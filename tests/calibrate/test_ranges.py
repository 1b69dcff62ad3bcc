"""The range methods: against their definitions computed the slow way, and on distributions that show the difference."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from qdsl.calibrate import MODES, Sketch, choose_range
from qdsl.calibrate.histogram import HALF
from qdsl.errors import ConfigError, DataError

RNG = np.random.default_rng(5)

DISTRIBUTIONS = {
    "normal": RNG.standard_normal(20_000),
    "one outlier": np.append(RNG.standard_normal(20_000), 60.0),
    "relu": np.maximum(RNG.standard_normal(20_000), 0),
    "shifted": RNG.standard_normal(20_000) + 3,
    "negative": -np.abs(RNG.standard_normal(20_000)),
    "laplace": RNG.laplace(size=20_000),
    "two values": np.repeat([-1.0, 5.0], 100),
    "one value": np.full(100, 2.5),
    "zero": np.zeros(100),
}


def sketch_of(values: np.ndarray) -> Sketch:
    sketch = Sketch("v")
    sketch.update(values.astype(np.float32))
    return sketch


def squared_error(values: np.ndarray, low: float, high: float, bits: int) -> float:
    """Of quantizing to the 2^bits codes of [low, high] with an exact zero, measured."""
    step = (high - low) / (2**bits - 1)
    if step == 0:
        return float(np.square(values).mean())
    zero = round(-low / step)
    codes = np.clip(np.rint(values / step) + zero, 0, 2**bits - 1)
    return float(np.square((codes - zero) * step - values).mean())


def symmetric_error(values: np.ndarray, threshold: float, bits: int) -> float:
    """Of quantizing to +-(2^(bits - 1) - 1) steps of a symmetric range, measured."""
    greatest = 2 ** (bits - 1) - 1
    step = threshold / greatest
    return float(np.square(np.clip(np.rint(values / step), -greatest, greatest) * step - values).mean())


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("mode", [m for m in MODES if m != "global_scale"])
def test_ranges_are_in_order_and_inside(name: str, symmetric: bool, mode: str) -> None:
    values = DISTRIBUTIONS[name].astype(np.float32)
    low, high = choose_range(sketch_of(values), mode, symmetric=symmetric)
    assert low <= high
    assert min(values.min(), 0) <= low
    assert high <= max(values.max(), 0)


def test_minmax_and_global_scale() -> None:
    sketch = sketch_of(DISTRIBUTIONS["shifted"])
    assert choose_range(sketch, "minmax") == (sketch.minimum, sketch.maximum)
    assert choose_range(sketch, "global_scale") == (-8, 8)
    assert choose_range(Sketch("never seen"), "global_scale", global_scale=0.5) == (-0.5, 0.5)


@pytest.mark.parametrize("name", ["normal", "relu", "shifted", "negative", "laplace"])
@pytest.mark.parametrize("percentile", [99.0, 99.9, 99.99])
def test_percentile_is_numpys_within_a_bin(name: str, percentile: float) -> None:
    """A bin more than numpy's, which interpolates between ranks: one bin and the gap to the next number."""
    values, sketch = DISTRIBUTIONS[name].astype(np.float32), sketch_of(DISTRIBUTIONS[name])
    ranked = np.sort(values)
    low, high = choose_range(sketch, "percentile", percentile=percentile)
    for found, share in ((low, 1 - percentile / 100), (high, percentile / 100)):
        place = share * (len(values) - 1)
        near = ranked[max(int(place) - 1, 0) : int(place) + 3]
        assert near[0] - sketch.histogram.width <= found <= near[-1] + sketch.histogram.width
    threshold = np.percentile(np.abs(values), percentile, method="higher")
    low, high = choose_range(sketch, "percentile", percentile=percentile, symmetric=True)
    assert max(-low, high) <= threshold + sketch.histogram.width


def test_percentile_100_is_minmax() -> None:
    for values in DISTRIBUTIONS.values():
        sketch = sketch_of(values)
        width = sketch.histogram.width
        low, high = choose_range(sketch, "percentile", percentile=100.0)
        assert sketch.minimum <= low <= sketch.minimum + width
        assert high == sketch.maximum


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("name", ["normal", "one outlier", "relu", "shifted", "negative", "laplace"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_mse_is_no_worse_than_any_range_on_a_grid(name: str, bits: int, symmetric: bool) -> None:
    """Measured on the numbers themselves: within 3 % of the best of 40 x 40 ranges, the noise model's own error."""
    values, sketch = DISTRIBUTIONS[name].astype(np.float32), sketch_of(DISTRIBUTIONS[name])
    low, high = choose_range(sketch, "mse", bits=bits, symmetric=symmetric)
    if symmetric:
        threshold = max(-low, high)
        found = symmetric_error(values, threshold, bits)
        grid = [symmetric_error(values, t, bits) for t in np.linspace(0.02, 1, 60) * sketch.absmax]
    else:
        found = squared_error(values, min(low, 0), max(high, 0), bits)
        shares = np.linspace(0.02, 1, 40)
        lows, highs = min(sketch.minimum, 0) * shares, max(sketch.maximum, 0) * shares
        grid = [squared_error(values, lo, hi, bits) for lo in np.unique(lows) for hi in np.unique(highs)]
    assert found <= 1.03 * min(grid)


def test_mse_and_entropy_cut_an_outlier_and_minmax_does_not() -> None:
    values, sketch = DISTRIBUTIONS["one outlier"], sketch_of(DISTRIBUTIONS["one outlier"])
    assert choose_range(sketch, "minmax")[1] == 60
    for mode, bits in (("mse", 4), ("entropy", 8), ("kl_divergence", 8)):
        low, high = choose_range(sketch, mode, bits=bits)
        assert 2 < high < 30, mode
        assert squared_error(values, low, high, bits) < squared_error(values, values.min(), 60, bits) or mode != "mse"


def slow_divergence(counts: np.ndarray, first: int, last: int, levels: int) -> float:
    """D(P || Q) as the method's description has it, bin by bin."""
    p = counts[first:last].astype(float)
    p[0] += counts[:first].sum()
    p[-1] += counts[last:].sum()
    q = np.zeros(last - first)
    inner, borders = counts[first:last], np.arange(levels + 1) * (last - first) // levels
    for start, stop in pairwise(borders):
        filled = p[start:stop] > 0
        if filled.any():
            q[start:stop][filled] = (inner[start:stop].sum() or 0.5) / filled.sum()
    p, q = p / p.sum(), q / q.sum()
    return float(np.sum(p[p > 0] * np.log(p[p > 0] / q[p > 0])))


@pytest.mark.parametrize("name", ["normal", "one outlier", "relu", "laplace"])
def test_entropy_is_the_least_divergence(name: str) -> None:
    from qdsl.calibrate.entropy import _Sums

    sketch = sketch_of(DISTRIBUTIONS[name])
    counts = sketch.histogram.counts.copy()
    counts[HALF] -= sketch.zeros
    sums = _Sums(counts.astype(float))
    thresholds = np.unique(np.linspace(70, HALF, 60).astype(int))
    fast = [sums.divergence(HALF - k, HALF + k, 128) for k in thresholds]
    slow = [slow_divergence(counts, HALF - k, HALF + k, 128) for k in thresholds]
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-12)
    low, high = choose_range(sketch, "entropy", bits=7, symmetric=True)
    chosen = round(max(-low, high) / sketch.histogram.width + 0.499)
    assert slow_divergence(counts, HALF - chosen, HALF + chosen, 128) <= min(slow) * 1.02 + 1e-9


def test_entropy_of_few_values_or_many_codes_is_the_whole_range() -> None:
    for bits in (12, 16):
        assert choose_range(sketch_of(DISTRIBUTIONS["normal"]), "entropy", bits=bits) == choose_range(
            sketch_of(DISTRIBUTIONS["normal"]), "minmax"
        )
    for name in ("zero", "one value"):
        assert choose_range(sketch_of(DISTRIBUTIONS[name]), "entropy") == choose_range(
            sketch_of(DISTRIBUTIONS[name]), "minmax"
        )


def test_a_misspelt_mode_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no calibrate_mode 'entropi'; .* Did you mean entropy"):
        choose_range(sketch_of(np.ones(3)), "entropi")


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("percentile", {"percentile": 0.9999}),
        ("percentile", {"percentile": 101.0}),
        ("global_scale", {"global_scale": 0.0}),
    ],
)
def test_parameters_are_checked(mode: str, options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        choose_range(sketch_of(np.ones(3)), mode, **options)


def test_what_was_not_seen_has_no_range() -> None:
    with pytest.raises(DataError, match="Value 'c' was not seen in calibration"):
        choose_range(Sketch("c"), "minmax")
    plain = Sketch("c", histogram=False)
    plain.update(np.ones(3, np.float32))
    assert choose_range(plain, "minmax") == (1, 1)
    with pytest.raises(DataError, match="observed without a histogram, which calibrate_mode 'mse' needs"):
        choose_range(plain, "mse")
