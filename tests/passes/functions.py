"""Operators of Relax in numpy that look at no window: name -> function of operands and attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def _axis(axis: Any) -> Any:
    return None if axis is None else tuple(int(a) for a in np.atleast_1d(axis))


def _along(vector: Array, x: Array, axis: int) -> Array:
    shape = [1] * x.ndim
    shape[axis] = -1
    return vector.reshape(shape)


def _split(x: Array, indices_or_sections: Any, axis: int, **_: Any) -> list[Array]:
    if not isinstance(indices_or_sections, list):
        size = -(-x.shape[axis] // int(indices_or_sections))
        return np.split(x, range(size, x.shape[axis], size), axis)
    return np.split(x, [int(i) for i in indices_or_sections], axis)


def _batch_norm(x: Array, gamma: Array, beta: Array, mean: Array, var: Array, **attrs: Any) -> tuple[Array, ...]:
    assert not attrs["training"]
    gamma, beta, at, spread = (_along(v, x, attrs["axis"]) for v in (gamma, beta, mean, var))
    y = (x - at) / np.sqrt(spread + attrs["epsilon"])
    y = y * gamma if attrs["scale"] else y
    return y + beta if attrs["center"] else y, mean, var


def _layer_norm(x: Array, gamma: Array, beta: Array, axes: Any, epsilon: float, **_: Any) -> Array:
    y = (x - x.mean(axis=_axis(axes), keepdims=True)) / np.sqrt(x.var(axis=_axis(axes), keepdims=True) + epsilon)
    return y * gamma + beta


def _softmax(x: Array, axis: int) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _pad(x: Array, pad_width: Any, pad_mode: str, pad_value: float = 0, **_: Any) -> Array:
    pairs = np.asarray(pad_width, int).reshape(-1, 2)
    more = {"constant_values": pad_value} if pad_mode == "constant" else {}
    return np.pad(x, pairs, mode=pad_mode, **more)  # type: ignore[call-overload]


def _slice(x: Array, axes: Any, begin: Any, end: Any, strides: Any = None, **_: Any) -> Array:
    index = [slice(None)] * x.ndim
    for axis, low, high, step in zip(axes, begin, end, strides or [1] * len(axes), strict=True):
        index[axis] = slice(int(low), int(high), int(step))
    return x[tuple(index)]


def _squeeze(x: Array, axis: Any = None) -> Array:
    return np.squeeze(x, _axis(axis))


_erf = np.vectorize(math.erf, otypes=[float])


def _softplus(x: Array, beta: float, threshold: float) -> Array:
    return np.where(x * beta > threshold, x, np.log1p(np.exp(beta * x)) / beta)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "power": np.power,
    "maximum": np.maximum, "minimum": np.minimum, "where": np.where,
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal,
    "negative": np.negative, "abs": np.abs, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "round": np.round,
    "tanh": np.tanh, "square": np.square, "floor": np.floor, "sigmoid": _sigmoid, "erf": _erf,
    "nn.relu": lambda x: np.maximum(x, 0),
    "nn.silu": lambda x: x * _sigmoid(x),
    "nn.gelu": lambda x: x * 0.5 * (1 + _erf(x / math.sqrt(2))),
    "nn.softplus": _softplus,
    "nn.leakyrelu": lambda x, alpha: np.where(x > 0, x, x * alpha),
    "nn.prelu": lambda x, slope, axis: np.where(x > 0, x, x * _along(slope, x, axis)),
    "nn.softmax": _softmax, "nn.batch_norm": _batch_norm, "nn.layer_norm": _layer_norm, "nn.pad": _pad,
    "clip": lambda x, low, high: np.clip(x, low, high),
    "astype": lambda x, dtype: np.trunc(x) if "int" in str(dtype) and x.dtype.kind == "f" else x * 1,
    "matmul": lambda a, b, out_dtype=None: np.matmul(a, b),
    "sum": lambda x, axis=None, keepdims=False: x.sum(axis=_axis(axis), keepdims=bool(keepdims)),
    "mean": lambda x, axis=None, keepdims=False: x.mean(axis=_axis(axis), keepdims=bool(keepdims)),
    "max": lambda x, axis=None, keepdims=False: x.max(axis=_axis(axis), keepdims=bool(keepdims)),
    "min": lambda x, axis=None, keepdims=False: x.min(axis=_axis(axis), keepdims=bool(keepdims)),
    "reshape": np.reshape,
    "flatten": np.ravel,
    "permute_dims": lambda x, axes=None: np.transpose(x, axes),
    "squeeze": _squeeze,
    "expand_dims": lambda x, axis: np.expand_dims(x, _axis(axis)),
    "concat": lambda xs, axis: np.concatenate(xs, axis),
    "split": _split,
    "strided_slice": _slice,
    "take": lambda x, indices, axis=None, **_: np.take(x, indices, axis),
    "broadcast_to": np.broadcast_to,
}  # fmt: skip
