"""quantize, dequantize and their composition, to the bit as the kernels of `qdsl.dialect` compute them.

A format is an affine map between reals and codes: real = (code - zero) * scale. With s = float32(scale),

    quantize      code = clip(rhe(x / s) + zero, low, high)      all in float32: one division, one rounding to the
                                                                 nearest whole number with halves to the even one
    dequantize    real = float32(code - zero) * s                the difference exact, one rounding, one product
    simulated     real = (clip(rhe(x / s) + zero, low, high) - zero) * s

For codes of at most 16 bits this is exact but for the division: rhe, the sum and the clip act on whole numbers below
2^24 or on values that saturate. For int32 the codes beyond 2^24 carry the relative error 2^-24 of float32, and the
greatest code reached is 2^31 - 128. Infinities saturate; NaN becomes `high` (samples with NaN are refused earlier).

quantize and dequantize are ONNX's QuantizeLinear and DequantizeLinear. Zero is reproduced exactly: x = 0 gives code
`zero`, and code `zero` gives 0. Inside the range the error is at most s/2 (Jacob et al., 2018, section 2).
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdsl.numerics.rounding import Float32, float32_bounds, float32_scale

Number = TypeVar("Number", bound=np.generic)

STORAGE = {"int4": "int8", "uint4": "uint8"}
"""Formats narrower than the machine's types, and the type that holds them; the others hold themselves."""


def storage(dtype: str) -> str:
    """The numpy dtype that holds codes of `dtype`."""
    return STORAGE.get(dtype, dtype)


def spread(values: NDArray[Number], rank: int, axis: int | None) -> NDArray[Number]:
    """Per-channel `values` (C,) shaped to broadcast along `axis` of a tensor of that rank; scalars as they are."""
    if values.ndim == 0 or axis is None:
        return values
    shape = [1] * rank
    shape[axis] = -1
    return values.reshape(shape)


def rounded(position: Float32, zero: int, low: int, high: int) -> Float32:
    """Positions on the code line to whole codes in float32: half to even, plus zero, saturated; NaN to `high`."""
    code = np.rint(position) + np.float32(zero)
    floor, ceiling = float32_bounds(low, high)
    below = np.where(code < ceiling, code, ceiling)
    return np.asarray(np.where(below > floor, below, floor))


def narrowed(position: Float32, zero: int, dtype: str, low: int, high: int) -> NDArray[np.generic]:
    """`rounded`, converted to the storage of `dtype`."""
    return np.asarray(rounded(position, zero, low, high).astype(np.int32).astype(storage(dtype)))


def quantize(
    x: ArrayLike, scale: ArrayLike, zero: int, *, dtype: str, low: int, high: int, axis: int | None = None
) -> NDArray[np.generic]:
    """float32 to codes: clip(round_half_even(x / scale) + zero, low, high); scale () or (channels,) along `axis`."""
    x = np.asarray(x, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        return narrowed(_positions(x, scale, axis), zero, dtype, low, high)


def dequantize(x: ArrayLike, scale: ArrayLike, zero: int, *, axis: int | None = None) -> Float32:
    """Codes to float32: (x - zero) * scale; the difference in int64, rounded once to float32."""
    codes = np.asarray(x)
    centered = (codes.astype(np.int64) - zero).astype(np.float32)
    return np.asarray(centered * spread(float32_scale(scale), codes.ndim, axis))


def simulated_quantize(
    x: ArrayLike,
    scale: ArrayLike | None = None,
    zero: int | None = None,
    *,
    dtype: str,
    low: int,
    high: int,
    axis: int | None = None,
) -> Float32:
    """float32 to float32 with the rounding of a conversion; x itself without a scale or for more than 16 bits."""
    x, zero = np.asarray(x, np.float32), zero or 0
    if scale is None or dtype == "int32":
        return x
    step = spread(float32_scale(scale), x.ndim, axis)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((rounded(_positions(x, scale, axis), zero, low, high) - np.float32(zero)) * step)


def _positions(x: Float32, scale: ArrayLike, axis: int | None) -> Float32:
    return np.asarray(x / spread(float32_scale(scale), x.ndim, axis), np.float32)
