"""Whether data fits an input of the model, and the data in the input's own dtype.

Numbers may change their dtype where no meaning is lost: floats to other floats (rounded, but never to infinity), whole
numbers to floats that hold them exactly, whole numbers to whole numbers in range. Floats for an input of whole numbers
(token ids) are refused, and so is whatever is no number.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qdsl.errors import DataError


class InputLike(Protocol):
    """An input of the model: its name, its shape with every size known, its dtype."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...


def check_names(given: Collection[str], inputs: Sequence[InputLike], where: str) -> None:
    """DataError unless exactly the model's inputs are given; `where` begins the message ("Sample 3", a file)."""
    names = [spec.name for spec in inputs]
    reads = "the model reads " + ", ".join(f"'{name}'" for name in names)
    for name in given:
        if name not in names:
            close = difflib.get_close_matches(str(name), names, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            raise DataError(f"{where} has '{name}', which is no input: {reads}.{hint}")
    missing = [f"'{name}'" for name in names if name not in given]
    if missing:
        raise DataError(f"{where} lacks input{'s' if len(missing) > 1 else ''} {', '.join(missing)}: {reads}.")


def as_array(value: object, where: str) -> NDArray[np.generic]:
    """`value` as an array of numbers; DataError for what is none (objects, text, ragged lists)."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, RuntimeError) as error:
        raise DataError(f"{where}: this is no array: {error}.") from error
    if array.dtype.kind not in "biuf" and not _is_small_float(array.dtype):
        raise DataError(f"{where}: an array of numbers is needed, not one of {_kind(array)}.")
    return array


def check_dtype(dtype: np.dtype[np.generic], spec: InputLike, where: str) -> None:
    """DataError for a dtype that the input cannot take whatever the numbers are."""
    wanted = np.dtype(spec.dtype)
    if wanted.kind in "iub" and dtype.kind not in "iub":
        raise DataError(f"{where}: {dtype} data for an input of {wanted}; give whole numbers as {wanted}.")


def converted(array: NDArray[np.generic], spec: InputLike, where: str) -> NDArray[np.generic]:
    """`array` in the input's dtype, finite; DataError where numbers would be lost, or are none."""
    check_dtype(array.dtype, spec, where)
    wanted = np.dtype(spec.dtype)
    if array.dtype.kind not in "biu":
        _check_finite(array, where)
    if array.dtype == wanted:
        return np.ascontiguousarray(array).reshape(array.shape)
    with np.errstate(over="ignore"):
        result = array.astype(wanted)
    if array.dtype.kind not in "biu":
        if not bool(np.all(np.isfinite(result))):
            raise DataError(f"{where}: {_first(array, ~np.isfinite(result))} is beyond the range of {wanted}.")
        return result
    same = _same_numbers(array, result)
    if not bool(np.all(same)):
        raise DataError(f"{where}: {array.dtype} number {_first(array, ~same)} cannot be held exactly in {wanted}.")
    return result


def _same_numbers(whole: NDArray[Any], result: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a conversion of whole numbers kept them; beyond 2^53 a float is not trusted to."""
    if result.dtype.kind in "iub":
        return np.asarray((result.astype(whole.dtype) == whole) & ((result < 0) == (whole < 0)))
    wide = whole.astype(np.float64)
    return np.asarray((result.astype(np.float64) == wide) & (np.abs(wide) <= 2.0**53))


def _check_finite(array: NDArray[np.generic], where: str) -> None:
    finite = np.isfinite(array)
    if not bool(np.all(finite)):
        what = "NaN" if bool(np.any(np.isnan(array))) else "Inf"
        raise DataError(f"{where}: {int((~finite).sum())} of {array.size} numbers are not finite (the first {what}).")


def _first(array: NDArray[np.generic], bad: NDArray[np.bool_]) -> object:
    return array[bad].flat[0]


def _is_small_float(dtype: np.dtype[np.generic]) -> bool:
    """bfloat16 and the like: numpy knows them only as foreign types."""
    return dtype.kind == "V" and "float" in dtype.name


def _kind(array: NDArray[np.generic]) -> str:
    if array.dtype.kind == "O":
        return "Python objects (a ragged list becomes one too)"
    return {"U": "text", "S": "bytes", "c": "complex numbers"}.get(array.dtype.kind, str(array.dtype))
