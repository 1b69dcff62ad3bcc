"""Scales and zero points: zero is exact, both ends are within half a step, nothing is zero or infinite."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdsl.calibrate import SCALE_FLOOR, scale_and_zero, weight_scale
from qdsl.errors import ConfigError, DataError
from qdsl.formats.format import SchemeType

SCHEMES = {
    "act": SchemeType("act", "uint8", symmetric=False, per_channel=False),
    "act_signed": SchemeType("act_signed", "int8", symmetric=False, per_channel=False),
    "symmetric": SchemeType("symmetric", "int8", symmetric=True, per_channel=False),
    "symmetric_unsigned": SchemeType("symmetric_unsigned", "uint8", symmetric=True, per_channel=False),
    "weight": SchemeType("weight", "int8", symmetric=True, per_channel=True, narrow=True),
    "int4": SchemeType("int4", "int8", symmetric=True, per_channel=True, narrow=True, bits=4),
    "act16": SchemeType("act16", "uint16", symmetric=False, per_channel=False),
    "wide": SchemeType("wide", "int32", symmetric=True, per_channel=False, bits=24),
    "powers": SchemeType("powers", "uint8", symmetric=False, per_channel=False, pow2=True),
}
ends = st.floats(-1e18, 1e18).map(lambda v: 0.0 if abs(v) < 1e-12 else v)


@given(ends, ends, st.sampled_from(sorted(SCHEMES)), st.booleans())
def test_both_ends_and_zero_are_represented(one: float, other: float, name: str, power_of_two: bool) -> None:
    low, high, scheme = min(one, other), max(one, other), SCHEMES[name]
    scale, zero = scale_and_zero(low, high, scheme, power_of_two=power_of_two)
    assert SCALE_FLOOR <= scale < np.inf
    assert scheme.low <= zero <= scheme.high
    if scheme.symmetric:
        assert zero == scheme.zero_for_symmetric
    if power_of_two or scheme.pow2:
        assert np.frexp(scale)[0] == 0.5
    for end in (low, high):
        code = end / scale + zero
        slack = 1e-9 * abs(code) + 1e-9
        assert scheme.low - 0.5 - slack <= code <= scheme.high + 0.5 + slack


@given(ends, ends, st.sampled_from(["act", "act_signed", "symmetric", "weight", "wide"]))
def test_no_code_is_wasted(one: float, other: float, name: str) -> None:
    """A scale that is a step smaller would not cover the range."""
    low, high, scheme = min(one, other), max(one, other), SCHEMES[name]
    scale, zero = scale_and_zero(low, high, scheme)
    if scale == SCALE_FLOOR:
        return
    if scheme.symmetric:
        assert max(high / (scheme.high - zero), low / (scheme.low - zero)) == pytest.approx(scale, rel=1e-12)
    else:
        assert (max(high, 0) - min(low, 0)) / scale == pytest.approx(scheme.high - scheme.low, rel=1e-12)


def test_known_cases() -> None:
    assert scale_and_zero(0.0, 6.0, SCHEMES["act"]) == (6 / 255, 0)
    assert scale_and_zero(-1.0, 1.0, SCHEMES["act"]) == (2 / 255, 128)
    assert scale_and_zero(-6.0, 0.0, SCHEMES["act"]) == (6 / 255, 255)
    assert scale_and_zero(-1.0, 1.0, SCHEMES["symmetric"]) == (1 / 127, 0)
    assert scale_and_zero(-1.0, 0.5, SCHEMES["symmetric"]) == (1 / 128, 0)
    assert scale_and_zero(-1.0, 0.5, SCHEMES["weight"]) == (1 / 127, 0)
    assert scale_and_zero(-8.0, 8.0, SCHEMES["symmetric"], power_of_two=True) == (1 / 8, 0)
    assert scale_and_zero(-127.0, 127.0, SCHEMES["weight"], power_of_two=True) == (1.0, 0)


def test_a_range_far_from_zero() -> None:
    scale, zero = scale_and_zero(100.0, 101.0, SCHEMES["act"])
    assert (scale, zero) == (101 / 255, 0)
    scale, zero = scale_and_zero(100.0, 101.0, SCHEMES["act"], allow_no_zero=True)
    assert scale == pytest.approx(1 / 255)
    assert zero == -25500
    scale, zero = scale_and_zero(-101.0, -100.0, SCHEMES["act"], allow_no_zero=True)
    assert (0 - zero) * scale == pytest.approx(-101, abs=scale)
    assert (255 - zero) * scale == pytest.approx(-100, abs=scale)


@given(ends, st.floats(0, 1e6))
def test_a_zero_point_beyond_the_codes_is_bounded(low: float, span: float) -> None:
    scheme = SCHEMES["act"]
    scale, zero = scale_and_zero(low, min(low + span, 1e18), scheme, allow_no_zero=True)
    assert abs(zero) <= 2**20 + 256
    assert -0.5 <= low / scale + zero <= 255.5 + 1e-6


@pytest.mark.parametrize("name", SCHEMES)
def test_dead_and_tiny_ranges_get_the_floor(name: str) -> None:
    for end in (0.0, 1e-30):
        scale, zero = scale_and_zero(0.0, end, SCHEMES[name])
        assert scale == SCALE_FLOOR
        assert SCHEMES[name].low <= zero <= SCHEMES[name].high
    assert np.float32(SCALE_FLOOR * SCALE_FLOOR) >= np.finfo(np.float32).tiny


@pytest.mark.parametrize(("low", "high"), [(np.nan, 1.0), (0.0, np.inf), (-2e18, 0.0), (1.0, 0.0)])
def test_ranges_that_are_none_are_refused(low: float, high: float) -> None:
    with pytest.raises(DataError, match=r"must be finite, within .* and in order"):
        scale_and_zero(low, high, SCHEMES["act"])


WEIGHT = np.random.default_rng(2).standard_normal((4, 3, 2, 2)) * np.array([1, 1e-7, 0, 50]).reshape(4, 1, 1, 1)


@pytest.mark.parametrize("mode", ["max", "power2"])
@pytest.mark.parametrize("name", ["weight", "int4", "symmetric", "symmetric_unsigned"])
def test_weight_scales_per_channel(mode: str, name: str) -> None:
    scheme = SCHEMES[name]
    scale = weight_scale(WEIGHT.astype(np.float32), 0, scheme, mode)
    assert scale.shape == (4,)
    assert scale.dtype == np.float64
    assert scale[2] == SCALE_FLOOR
    codes = WEIGHT.astype(np.float32) / scale.reshape(4, 1, 1, 1) + scheme.zero_for_symmetric
    assert codes.min() >= scheme.low - 1e-9
    assert codes.max() <= scheme.high + 1e-9
    used = np.abs(codes - scheme.zero_for_symmetric).reshape(4, -1).max(axis=1)[[0, 1, 3]]
    reach = scheme.high - scheme.zero_for_symmetric
    assert np.all(used > (reach / 2 if mode == "power2" else reach) - 1e-6)
    if mode == "power2":
        assert np.all(np.frexp(scale)[0] == 0.5)


def test_weight_scales_of_other_axes_and_of_the_whole() -> None:
    scheme = SCHEMES["weight"]
    np.testing.assert_allclose(weight_scale(WEIGHT, 1, scheme), np.abs(WEIGHT).max(axis=(0, 2, 3)) / 127)
    np.testing.assert_allclose(weight_scale(WEIGHT, -1, scheme), np.abs(WEIGHT).max(axis=(0, 1, 2)) / 127)
    whole = weight_scale(WEIGHT, None, scheme)
    assert whole.shape == ()
    assert whole == np.abs(WEIGHT).max() / 127
    assert weight_scale(np.zeros((0, 3)), 1, scheme).tolist() == [SCALE_FLOOR] * 3


def test_weights_that_cannot_be_quantized() -> None:
    with pytest.raises(ConfigError, match="max or power2, not 'pow2'"):
        weight_scale(WEIGHT, 0, SCHEMES["weight"], "pow2")
    with pytest.raises(ConfigError, match="'act' is asymmetric"):
        weight_scale(WEIGHT, 0, SCHEMES["act"])
    for bad in (np.nan, np.inf, 1e19):
        with pytest.raises(DataError, match=r"Constant 'conv1\.w' has a number that is not finite"):
            weight_scale(np.array([1.0, bad]), None, SCHEMES["weight"], name="conv1.w")
