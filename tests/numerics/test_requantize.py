"""requantize, affine and the fixed-point form against exact rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdsl import numerics
from qdsl.numerics.rounding import fused_multiply_add

INT8 = {"dtype": "int8", "low": -128, "high": 127}
INT32 = {"dtype": "int32", "low": -(2**31), "high": 2**31 - 1}
HALF = Fraction(1, 2)

ratios = st.floats(2.0**-40, 2.0**20)
int32s = st.integers(-(2**31), 2**31 - 1)
floats32 = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)


def upward(value: Fraction) -> int:
    return math.floor(value + HALF)


def to_nearest(value: Fraction) -> int:
    return math.floor(value + HALF) if value >= 0 else -math.floor(-value + HALF)


def clip(value: int, form: dict[str, object]) -> int:
    return max(int(form["low"]), min(int(form["high"]), value))


@given(st.floats(2.0**-1000, 2.0**1000))
def test_fixed_point_form(ratio: float) -> None:
    """The multiplier has 31 bits and errs by 2^-31, inside the range of shifts; it always stays in its ranges."""
    form = numerics.fixed_point(ratio)
    multiplier, shift = int(form.multiplier), int(form.shift)
    assert 1 <= multiplier < 2**31
    assert 0 <= shift <= 62
    if 2.0**-31 <= ratio < 2.0**31 * (1 - 2.0**-32):
        exact = Fraction(ratio)
        assert abs(Fraction(multiplier, 2**shift) - exact) <= exact * Fraction(1, 2**31)


@given(int32s, ratios, st.sampled_from(["UPWARD", "TONEAREST"]))
def test_fixed_mode_rounds_the_exact_product_of_its_multiplier(x: int, ratio: float, rounding: str) -> None:
    form = numerics.fixed_point(ratio)
    product = x * Fraction(int(form.multiplier), 2 ** int(form.shift))
    is_shift = int(form.multiplier).bit_count() == 1
    rounded = upward(product) if rounding == "UPWARD" or is_shift else to_nearest(product)
    result = numerics.requantize(np.int32(x), ratio, 0, 0, mode="fixed", rounding=rounding, **INT32)
    assert int(result) == clip(rounded, INT32)


@given(int32s, st.integers(-40, 20), st.booleans())
def test_powers_of_two_are_shifts(x: int, power: int, round_for_shift: bool) -> None:
    exact = x * Fraction(2) ** power
    expected = upward(exact) if round_for_shift else math.floor(exact)
    options = {"mode": "fixed", "round_for_shift": round_for_shift, "rounding": "TONEAREST"}
    result = numerics.requantize(np.int32(x), 2.0**power, 0, 0, **options, **INT32)
    assert int(result) == clip(expected, INT32)


def test_ties_go_where_they_are_told() -> None:
    """1.5 has an exact multiplier, so odd codes are ties; the multiplier of 0.3 is a little above, so 5 goes up."""
    how = {"zero_in": 0, "zero_out": 0, "mode": "fixed", **INT8}
    ties, near = np.array([1, -1, 3, -3], np.int32), np.array([5, -5, 15, -15], np.int32)
    assert numerics.requantize(ties, 1.5, **how, rounding="UPWARD").tolist() == [2, -1, 5, -4]
    assert numerics.requantize(ties, 1.5, **how, rounding="TONEAREST").tolist() == [2, -2, 5, -5]
    assert Fraction(int(numerics.fixed_point(0.3).multiplier), 2**32) > Fraction(3, 10)
    assert numerics.requantize(near, 0.3, **how, rounding="UPWARD").tolist() == [2, -2, 5, -5]


@given(int32s, ratios, st.integers(-128, 127))
def test_float_mode_is_exact_but_near_ties(x: int, ratio: float, zero: int) -> None:
    """The derived bound: a position within a relative 3 * 2^-24, so a code that differs only that near to a tie."""
    position = x * Fraction(ratio)
    slack = abs(position) * 3 * Fraction(1, 2**24)
    result = int(numerics.requantize(np.int32(x), ratio, 0, zero, **INT8))
    floor, ceiling = math.ceil(position - slack - HALF), math.floor(position + slack + HALF)
    assert clip(floor + zero, INT8) <= result <= clip(ceiling + zero, INT8)


@pytest.mark.parametrize("ratio", [1.0, 0.5, 2.0, 0.3, 1.7, 40.0])
@pytest.mark.parametrize("mode", ["float", "fixed"])
def test_reported_ratios_over_all_codes(ratio: float, mode: str) -> None:
    """in * w / out of every report, over all 16-bit accumulators: within half a step of the exact result."""
    x = np.arange(-32768, 32768, dtype=np.int32)
    result = numerics.requantize(x, ratio, 0, 0, mode=mode, **INT32)
    np.testing.assert_array_less(np.abs(result - x * ratio), 0.5 + np.abs(x) * ratio * 3 * 2.0**-24 + 1e-12)


@pytest.mark.parametrize("mode", ["float", "fixed"])
@given(x=int32s, zero_in=st.integers(-(2**20), 2**20), zero_out=st.integers(-128, 127))
def test_a_ratio_of_one_is_exact_to_the_last_bit(mode: str, x: int, zero_in: int, zero_out: int) -> None:
    result = numerics.requantize(np.int32(x), 1.0, zero_in, zero_out, mode=mode, **INT32)
    assert int(result) == clip(x - zero_in + zero_out, INT32)


@given(floats32, floats32, floats32)
def test_fused_multiply_add_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    result = fused_multiply_add(np.float32(a), np.float32(b), np.float32(c))
    if not np.isfinite(result):
        assert abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103
        return
    with np.errstate(over="ignore"):
        below, above = np.nextafter(result, np.float32(-np.inf)), np.nextafter(result, np.float32(np.inf))
    error = abs(exact - Fraction(float(result)))
    for neighbour in (below, above):
        if np.isfinite(neighbour):
            assert error <= abs(exact - Fraction(float(neighbour)))


def test_fused_multiply_add_on_the_double_rounding_trap() -> None:
    """1 + 2^-24 is a float32 tie; a product just above it must round up although float64 shows the tie itself."""
    a, b, c = np.float32(1 + 2.0**-12), np.float32(2.0**-24 - 2.0**-48), np.float32(1)
    exact = Fraction(float(a)) * Fraction(float(b)) + 1
    assert exact > 1 + Fraction(1, 2**24)
    assert fused_multiply_add(a, b, c) == np.float32(1 + 2.0**-23)


@given(int32s, floats32.filter(lambda v: abs(v) < 2**10), floats32.filter(lambda v: abs(v) < 2**30))
def test_fused_and_unfused_affine_differ_only_near_ties(x: int, gain: float, offset: float) -> None:
    how = {"zero_in": 0, "zero_out": 0, **INT8}
    fused, unfused = (int(numerics.affine(np.int32(x), gain, offset, fused=f, **how)) for f in (True, False))
    assert abs(fused - unfused) <= 1
    assert numerics.affine(np.int32(x), gain, 0.0, fused=True, **how) == numerics.affine(np.int32(x), gain, 0.0, **how)


def test_bad_modes_are_refused() -> None:
    x = np.int32(1)
    with pytest.raises(ValueError, match="float or fixed"):
        numerics.requantize(x, 1.0, 0, 0, mode="int", **INT8)
    with pytest.raises(ValueError, match="UPWARD or TONEAREST"):
        numerics.requantize(x, 0.3, 0, 0, mode="fixed", rounding="HALF", **INT8)
    with pytest.raises(ValueError, match="positive and finite, not 0"):
        numerics.requantize(x, 0.0, 0, 0, mode="fixed", **INT8)
