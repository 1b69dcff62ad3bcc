"""requantize and affine: integers to integers.

The same real value on two scales: (q - z) * s = (q' - z') * s', hence q' = (q - z) * (s / s') + z'. With the ratio
r = s / s', rounded and saturated,

    float    q' = clip(rhe(float32(q - z) * float32(r)) + z', low, high)
    fixed    q' = clip(shift(m * (q - z)) + z', low, high)                r ~ m / 2^shift, see fixed_point
    affine   q' = clip(rhe(float32(q - z) * gain + offset) + z', low, high)

A ratio of exactly 1 is clip(q - z + z', low, high) in integers, in both modes.

How far "float" is from the exact (q - z) * r: r and the product are each rounded once, and q - z beyond 2^24 once
more, so the position is within a relative 3 * 2^-24 of the exact one. For codes of at most 16 bits that is less than
2^-6 of a step: the code differs from the exact one only within that distance of a tie, and by one. "fixed" errs by a
relative 2^-31 and is integer arithmetic, the same on every machine.

affine on a target with FMA does not round the product before the sum. Fused and unfused positions differ by at most
half an ulp of the product, 2^-24 * |gain * (q - z)|, so their codes differ by at most one, near a tie. `fused` selects
the form; without an offset both are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdsl.numerics.fixed_point import FixedPoint, fixed_point, multiply
from qdsl.numerics.quantize import narrowed, spread, storage
from qdsl.numerics.rounding import float32_scale, fused_multiply_add


def requantize(
    x: ArrayLike,
    ratio: ArrayLike,
    zero_in: int,
    zero_out: int,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
    mode: str = "float",
    rounding: str = "UPWARD",
    round_for_shift: bool = True,
) -> NDArray[np.generic]:
    """Codes to codes: clip(round((x - zero_in) * ratio) + zero_out, low, high); ratio () or (channels,) along `axis`.

    `mode` is "float" or "fixed", `rounding` (of "fixed") UPWARD or TONEAREST; ValueError for others.
    """
    if mode not in ("float", "fixed"):
        raise ValueError(f"a requantize is float or fixed, not {mode!r}")
    codes = np.asarray(x)
    centered = codes.astype(np.int64) - zero_in
    form = fixed_point(ratio) if mode == "fixed" else None
    factor = float32_scale(ratio, "ratio")
    if bool(np.all(factor == 1)) if form is None else form.is_shift and not np.any(form.left_shift):
        return _saturated(centered + zero_out, dtype, low, high)
    if form is None:
        return narrowed(centered.astype(np.float32) * spread(factor, codes.ndim, axis), zero_out, dtype, low, high)
    along = FixedPoint(spread(form.multiplier, codes.ndim, axis), spread(form.shift, codes.ndim, axis))
    return _saturated(multiply(centered, along, rounding, round_for_shift) + zero_out, dtype, low, high)


def affine(
    x: ArrayLike,
    gain: ArrayLike,
    offset: ArrayLike,
    zero_in: int,
    zero_out: int,
    *,
    dtype: str,
    low: int,
    high: int,
    fused: bool = False,
) -> NDArray[np.generic]:
    """Codes to codes: clip(round((x - zero_in) * gain + offset) + zero_out, low, high); gain, offset float32."""
    centered = (np.asarray(x).astype(np.int64) - zero_in).astype(np.float32)
    gain, offset = np.asarray(gain, np.float32), np.asarray(offset, np.float32)
    with np.errstate(over="ignore"):
        position = fused_multiply_add(centered, gain, offset) if fused else centered * gain + offset
        return narrowed(position, zero_out, dtype, low, high)


def _saturated(code: NDArray[np.int64], dtype: str, low: int, high: int) -> NDArray[np.generic]:
    return np.asarray(np.clip(code, low, high).astype(storage(dtype)))
