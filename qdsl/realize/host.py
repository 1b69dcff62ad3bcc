"""Arithmetic on constants with numpy, and vectors laid along an axis."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


def _axis(axis: Any) -> tuple[int, ...] | None:
    return None if axis is None else tuple(int(a) for a in np.atleast_1d(axis))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
    "negative": np.negative,
    "square": np.square,
    "round": np.round,
    "floor": np.floor,
    "ceil": np.ceil,
    "tanh": np.tanh,
    "power": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "sum": lambda x, axis=None, keepdims=False: np.sum(x, axis=_axis(axis), keepdims=bool(keepdims)),
    "mean": lambda x, axis=None, keepdims=False: np.mean(x, axis=_axis(axis), keepdims=bool(keepdims)),
    "max": lambda x, axis=None, keepdims=False: np.max(x, axis=_axis(axis), keepdims=bool(keepdims)),
    "min": lambda x, axis=None, keepdims=False: np.min(x, axis=_axis(axis), keepdims=bool(keepdims)),
    "reshape": lambda x, shape: np.reshape(x, [int(s) for s in shape]),
    "permute_dims": lambda x, axes=None: np.transpose(x, None if axes is None else [int(a) for a in axes]),
}
"""Operators that are computed at once where every operand is a constant."""


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """float64 for float arrays, so that folds round once; other dtypes as they are."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def combine(op: str, left: Any, right: Any) -> Any:
    """One of + - * / on constants. Two channel vectors of different rank, (1, C, 1, 1) and (C,), combine along C."""
    a, b = np.asarray(left), np.asarray(right)
    if a.ndim != b.ndim and min(a.ndim, b.ndim) == 1 and 1 < a.size == b.size and _is_vector(a) and _is_vector(b):
        a, b = a.reshape(-1), b.reshape(-1)
    if op == "/":
        a = a.astype(np.float64)
    return BINARY[op](a, b)


def _is_vector(array: NDArray[Any]) -> bool:
    return sum(size != 1 for size in array.shape) <= 1


def lay_along(vector: NDArray[Any], letter: str, layout: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """A vector shaped to broadcast along one letter of a layout.

    Shapes: vector (n,) or anything with one axis that varies; result has the rank of `shape`. In a transposed
    convolution's kernel (I, O / groups, ...) a vector over all O channels becomes (I, O / groups, 1, 1): input channels
    of group g get the g-th stretch of the vector. Raises ValueError where the vector does not fit.
    """
    flat = np.asarray(vector).reshape(-1)
    if flat.size == 1:
        return flat.reshape((1,) * len(shape))
    axis = layout.index(letter)
    size = shape[axis]
    aligned = [1] * len(shape)
    if flat.size == size:
        aligned[axis] = size
        return flat.reshape(aligned)
    if "I" in layout and letter == "O" and flat.size % size == 0:
        groups, inputs = flat.size // size, layout.index("I")
        per_input = np.repeat(flat.reshape(groups, size), shape[inputs] // groups, axis=0)
        aligned[axis], aligned[inputs] = size, shape[inputs]
        return (per_input if inputs < axis else per_input.T).reshape(aligned)
    raise ValueError(f"a vector of {flat.size} elements does not lie along {letter} of {layout} {shape}")


def along_axis(array: NDArray[Any], axis: int | None, rank: int) -> NDArray[Any]:
    """A scale () or (channels,) shaped to broadcast along `axis` of a tensor of `rank` axes."""
    if array.ndim == 0 or axis is None:
        return array.reshape(())
    shape = [1] * rank
    shape[axis] = array.size
    return array.reshape(shape)
