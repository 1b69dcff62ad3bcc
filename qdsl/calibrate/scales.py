"""From a range to a scale and a zero point.

With codes from qmin to qmax:

    symmetric    zero is fixed (0, or mid-range for an unsigned dtype); scale is the least that covers both ends,
                 max(high / (qmax - zero), -low / (zero - qmin))
    asymmetric   the range is widened to hold 0, then scale = (high - low) / (qmax - qmin) and
                 zero = round(qmin - low / scale): an exact code, so that padding and relu are exact
    power2       the scale is raised to the next power of two, so that nothing that was covered saturates; a scheme
                 with the flag pow2 asks for that too

So the ends of the range are represented to within half a step, where Relay cut the top 1/128 off.

A scale is at least 2^-60: the product of two such scales is still a normal float32. A tensor that was zero in every
sample gets just that scale, and so does a channel of zero weights: its scale then bounds nothing, and whatever needs
more (a bias on that accumulator) raises it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdsl.calibrate.sketch import RANGE_LIMIT
from qdsl.errors import ConfigError, DataError
from qdsl.formats.format import SchemeType

SCALE_FLOOR = 2.0**-60
"""The least scale of a tensor or channel."""

MAX_OFFSET = 2.0**20
"""The farthest zero point of a range without zero: positions on the code line stay exact to 1/8 in float32."""

WEIGHT_MODES = ("max", "power2")


def scale_and_zero(
    low: float, high: float, scheme: SchemeType, *, allow_no_zero: bool = False, power_of_two: bool = False
) -> tuple[float, int]:
    """Scale and zero point that represent [low, high] in the codes of `scheme`; the zero point is one of the codes.

    Args:
        allow_no_zero: an asymmetric range need not hold 0, for values that nothing pads. The zero point may then be
            an integer beyond the codes.
        power_of_two: only powers of two as scales, whatever the scheme says.

    Raises:
        DataError: an end that is not finite or beyond 1e18, or low above high.
    """
    if not (-RANGE_LIMIT <= low <= high <= RANGE_LIMIT):
        raise DataError(f"A range must be finite, within +-1e18 and in order, not {low!r} to {high!r}.")
    if scheme.symmetric:
        scale = _symmetric(np.float64(low), np.float64(high), scheme)
        return float(_finished(scale, power_of_two or scheme.pow2)), scheme.zero_for_symmetric
    if not allow_no_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    span = scheme.high - scheme.low
    offset = max(low, -high, 0.0)
    scale = np.float64(max((high - low) / span, offset / MAX_OFFSET))
    step = float(_finished(scale, power_of_two or scheme.pow2))
    zero = round(scheme.low - low / step)
    return step, zero if allow_no_zero else max(scheme.low, min(scheme.high, zero))


def weight_scale(
    array: NDArray[np.generic], axis: int | None, scheme: SchemeType, mode: str = "max", *, name: str = ""
) -> NDArray[np.float64]:
    """The scales of a constant under a symmetric scheme: float64 (channels,) along `axis`, or () without one.

    Args:
        mode: "max" covers the largest magnitude exactly, "power2" with the next power of two.
        name: of the constant, for messages.

    Raises:
        ConfigError: an unknown mode, or an asymmetric scheme, which per tensor is scale_and_zero of both ends.
        DataError: a number that is not finite or beyond 1e18.
    """
    if mode not in WEIGHT_MODES:
        raise ConfigError(f"weight_scale is max or power2, not {mode!r}.")
    if not scheme.symmetric:
        raise ConfigError(f"Scheme '{scheme.name}' is asymmetric; a weight has a scale alone only if it is symmetric.")
    values = np.asarray(array, np.float64)
    others = None if axis is None else tuple(i for i in range(values.ndim) if i != axis % values.ndim)
    low = values.min(axis=others, initial=0.0)
    high = values.max(axis=others, initial=0.0)
    if not bool(np.all((low >= -RANGE_LIMIT) & (high <= RANGE_LIMIT))):
        raise DataError(f"Constant '{name}' has a number that is not finite or beyond 1e18; it cannot be quantized.")
    return np.asarray(_finished(_symmetric(low, high, scheme), mode == "power2" or scheme.pow2))


def next_power_of_two(scale: ArrayLike) -> NDArray[np.float64]:
    """The least powers of two that are no less than these positive scales, of the same shape."""
    mantissa, exponent = np.frexp(np.asarray(scale, np.float64))
    return np.asarray(np.ldexp(1.0, exponent - (mantissa == 0.5)))


def _symmetric(
    low: np.float64 | NDArray[np.float64], high: np.float64 | NDArray[np.float64], scheme: SchemeType
) -> NDArray[np.float64]:
    zero = scheme.zero_for_symmetric
    return np.asarray(np.maximum(high / (scheme.high - zero), -low / (zero - scheme.low)))


def _finished(scale: np.float64 | NDArray[np.float64], power_of_two: bool) -> NDArray[np.float64]:
    floored = np.maximum(scale, SCALE_FLOOR)
    return next_power_of_two(floored) if power_of_two else np.asarray(floored)
