"""lookup: a function of an 8-bit value as a table of its 256 results.

    table[i] = f of code (i + least), least = -128 for int8 and 0 for uint8
    lookup(x) = table[x - least]

`tabulate` makes the table of a real function between two formats: y = clip(rhe(f((q - z) * s) / s') + z', low, high),
which is the exact composition dequantize, f, quantize, rounded once. f is evaluated in float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdsl.numerics.quantize import storage


def lookup(x: ArrayLike, table: NDArray[np.generic]) -> NDArray[np.generic]:
    """int8 or uint8 codes to the table's dtype; `table` has shape (256,)."""
    codes = np.asarray(x)
    return np.asarray(table[codes.astype(np.int64) - np.iinfo(codes.dtype).min])


def positions(dtype: str) -> NDArray[np.int64]:
    """The 256 codes in the order of a table's positions."""
    least = np.iinfo(dtype).min
    return np.arange(least, least + 256, dtype=np.int64)


def tabulate(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    dtype_in: str,
    scale_in: float,
    zero_in: int,
    scale_out: float,
    zero_out: int,
    dtype: str,
    low: int,
    high: int,
) -> NDArray[np.generic]:
    """The table of `function` (float64 to float64, elementwise) from 8-bit codes to codes of `dtype`.

    Infinite results saturate; ValueError where the function is not a number.
    """
    real = (positions(storage(dtype_in)) - zero_in) * np.float64(scale_in)
    with np.errstate(all="ignore"):
        result = np.asarray(function(real), np.float64) / scale_out
    if bool(np.isnan(result).any()):
        raise ValueError(f"the function of a lookup table is not a number at {real[np.isnan(result)][0]:g}")
    return np.clip(np.rint(result) + zero_out, low, high).astype(storage(dtype))
