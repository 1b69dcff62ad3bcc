"""Float32 at the borders of the integers: admissible scales, saturation bounds, fused multiply-add.

Bounds. A code range [low, high] is applied to a float32 value before it is converted, so both bounds must be float32
numbers inside the range. Up to 2^24 they are the codes themselves; of int32 the upper bound is 2^31 - 128, the
greatest float32 that is not beyond 2^31 - 1 (a relative loss of 2^-24, that of float32 itself).

Fused multiply-add. A target with FMA may compute a * b + c with one rounding instead of two. Exactly:
let p = a * b, which float64 holds (24 + 24 <= 53 bits), and s + e = p + c without error (Knuth's two-sum). Rounding
s to float32 is the correct rounding of s + e unless s, being itself rounded, lies on a float32 tie; rounding s to odd
(Boldo and Melquiond, 2008) removes the ties: where e != 0 and the last bit of s is even, s moves one float64 step
towards e.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float32 = NDArray[np.float32]

MAX_ZERO = 2**30
"""The greatest magnitude of a zero point: (int32 - zero) * a 31-bit multiplier then stays inside int64."""

SMALLEST_SCALE = float(np.finfo(np.float32).tiny)
"""2^-126: positive scales below it are raised to it, subnormal numbers being slow and flushed by some targets."""


def float32_scale(scale: ArrayLike, what: str = "scale") -> Float32:
    """`scale` as float32 of the same shape; ValueError unless every element is positive and finite in float32."""
    wide = np.asarray(scale, np.float64)
    if not bool(np.all((wide > 0) & (wide <= np.finfo(np.float32).max))):
        bad = wide[~((wide > 0) & (wide <= np.finfo(np.float32).max))].flat[0]
        raise ValueError(f"a {what} is positive and finite in float32, not {bad:g}")
    return np.asarray(np.maximum(wide, SMALLEST_SCALE).astype(np.float32))


def float32_bounds(low: int, high: int) -> tuple[np.float32, np.float32]:
    """The least and the greatest float32 inside [low, high]."""
    floor, ceiling = np.float32(low), np.float32(high)
    if int(floor) < low:
        floor = np.nextafter(floor, np.float32(np.inf))
    if int(ceiling) > high:
        ceiling = np.nextafter(ceiling, np.float32(-np.inf))
    return floor, ceiling


def fused_multiply_add(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Float32:
    """a * b + c in float32 with a single rounding; operands are float32 of broadcastable shapes."""
    product = np.asarray(a, np.float32).astype(np.float64) * np.asarray(b, np.float32).astype(np.float64)
    addend = np.asarray(c, np.float32).astype(np.float64)
    total = np.asarray(product + addend)
    with np.errstate(invalid="ignore"):
        shadow = total - product
        error = (product - (total - shadow)) + (addend - shadow)
    even = (total.view(np.int64) & 1) == 0
    inexact = np.isfinite(error) & (error != 0) & even
    odd = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    with np.errstate(over="ignore"):
        return np.asarray(np.where(inexact, odd, total).astype(np.float32))
