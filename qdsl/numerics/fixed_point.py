"""A positive ratio as a fixed-point multiplier: ratio ~ multiplier / 2^shift, multiplier below 2^31.

frexp gives ratio = m * 2^e with m in [0.5, 1). The mantissa becomes a 31-bit integer, so

    multiplier = round(m * 2^31)   in [2^30, 2^31)        (2^31 itself is renormalised to 2^30, e + 1)
    shift      = 31 - e

and the product of an int32 with the multiplier fits 62 bits. The relative error is at most 2^-31. A multiplier that
is a power of two is an exact shift.

Two ends are brought into the machine's range without changing any rounded result for an int32 operand: below 2^-31
the multiplier gives up bits so that the shift is at most 62 (|x * ratio| < 1/2 rounds to 0 either way), and above
2^31 the ratio is 2^31 - 1 (every nonzero operand saturates any format of at most 32 bits).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FRACTION_BITS = 31
MAX_SHIFT = 62
ROUNDINGS = ("UPWARD", "TONEAREST")


@dataclass(frozen=True)
class FixedPoint:
    """Ratios as integers: ratio ~ multiplier / 2^shift, arrays of shape () or (channels,)."""

    multiplier: NDArray[np.int32]
    """In [1, 2^31)."""
    shift: NDArray[np.int32]
    """In [0, 62], to the right."""

    @property
    def is_shift(self) -> bool:
        """Whether every ratio is a power of two, so that no multiplication is needed."""
        return bool(np.all(power_of_two(self.multiplier)))

    @property
    def left_shift(self) -> NDArray[np.int32]:
        """log2 of the ratios; meaningful where `is_shift`."""
        return np.asarray(np.log2(self.multiplier.astype(np.float64)).astype(np.int32) - self.shift)


def power_of_two(multiplier: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which elements have a single bit set."""
    return np.asarray((multiplier & (multiplier - 1)) == 0)


def fixed_point(ratio: ArrayLike) -> FixedPoint:
    """The fixed-point form of positive finite ratios, float64 of shape () or (channels,); ValueError for others."""
    wide = np.asarray(ratio, np.float64)
    if not bool(np.all((wide > 0) & np.isfinite(wide))):
        raise ValueError(f"a ratio of scales is positive and finite, not {wide[~((wide > 0) & np.isfinite(wide))][0]}")
    mantissa, exponent = np.frexp(wide)
    multiplier = np.rint(mantissa * 2.0**FRACTION_BITS).astype(np.int64)
    carried = multiplier == 2**FRACTION_BITS
    multiplier = np.where(carried, 2 ** (FRACTION_BITS - 1), multiplier)
    shift = FRACTION_BITS - (exponent + carried)

    excess = np.clip(shift - MAX_SHIFT, 0, FRACTION_BITS - 1)
    multiplier = np.where(shift > MAX_SHIFT, np.maximum(multiplier >> excess, 1), multiplier)
    multiplier = np.where(shift < 0, 2**FRACTION_BITS - 1, multiplier)
    return FixedPoint(multiplier.astype(np.int32), np.clip(shift, 0, MAX_SHIFT).astype(np.int32))


def multiply(
    x: NDArray[np.integer], form: FixedPoint, rounding: str = "UPWARD", round_for_shift: bool = True
) -> NDArray[np.int64]:
    """x * ratio rounded to whole numbers, int64; |x| <= 2^31 + 2^30, `form` broadcastable against x.

        UPWARD      floor(x * ratio + 1/2)             halves go up
        TONEAREST   sign(x) * floor(|x| * ratio + 1/2) halves go away from zero

    A power of two is a shift: halves go up, or without `round_for_shift` the result is the floor. ValueError for
    another rounding.
    """
    if rounding not in ROUNDINGS:
        raise ValueError(f"rounding is UPWARD or TONEAREST, not {rounding!r}")
    product = np.asarray(x).astype(np.int64) * form.multiplier.astype(np.int64)
    shift = form.shift.astype(np.int64)
    half = (np.int64(1) << shift) >> 1
    exact_shift = power_of_two(form.multiplier)
    if not round_for_shift:
        half = np.where(exact_shift, 0, half)
    if rounding == "TONEAREST":
        half = half - ((product < 0) & ~exact_shift & (shift > 0))
    return np.asarray((product + half) >> shift)
