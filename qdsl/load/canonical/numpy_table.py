"""What Relax operators compute, in numpy: a function of the operands' arrays and the attributes for each.

Operands that are shapes arrive as tuples of ints, tuples as lists, numbers as Python numbers. An attribute that numpy
cannot serve raises, and the operator is left for the compiled module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Operands = list[Any]


class Attributes(dict[str, Any]):
    """Attributes by name, as members."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


Function = Callable[[Operands, Attributes], Any]


def _plain(function: Callable[..., Any]) -> Function:
    return lambda operands, attributes: function(*operands)


def _reduction(function: Callable[..., Any]) -> Function:
    return lambda operands, attributes: function(operands[0], axis=attributes.axis, keepdims=bool(attributes.keepdims))


def _divide(operands: Operands, attributes: Attributes) -> Any:
    a, b = operands
    if np.issubdtype(np.asarray(a).dtype, np.floating):
        return np.divide(a, b)
    quotient = np.floor_divide(np.abs(a), np.abs(b))
    return np.where((a < 0) != (b < 0), -quotient, quotient)


def _strided_slice(operands: Operands, attributes: Attributes) -> Any:
    x, axes, begin, end, *strides = operands
    index: list[Any] = [slice(None)] * x.ndim
    for position, axis in enumerate(axes):
        step = strides[0][position] if strides else 1
        stop = end[position]
        # A negative step that runs through the first element has an end before it, which numpy spells None.
        index[axis] = slice(begin[position], None if step < 0 and stop < -x.shape[axis] else stop, step)
    return x[tuple(index)]


def _split(operands: Operands, attributes: Attributes) -> list[Any]:
    cuts = attributes.indices_or_sections
    return list(np.split(operands[0], list(cuts) if isinstance(cuts, tuple) else int(cuts), axis=attributes.axis))


def _take(operands: Operands, attributes: Attributes) -> Any:
    x, indices = operands
    size = x.size if attributes.axis is None else x.shape[attributes.axis]
    if np.any((np.asarray(indices) < -size) | (np.asarray(indices) >= size)):
        raise IndexError("an index is out of range")
    return np.take(x, indices, axis=attributes.axis)


def _gather_elements(operands: Operands, attributes: Attributes) -> Any:
    x, indices = operands
    axis = attributes.axis % x.ndim
    # The indices may span less than x along the other axes; numpy wants both alike.
    part = tuple(slice(None if i == axis else size) for i, size in enumerate(indices.shape))
    return np.take_along_axis(x[part], indices, axis)


def _squeeze(operands: Operands, attributes: Attributes) -> Any:
    return np.squeeze(operands[0], None if attributes.axis is None else tuple(attributes.axis))


def _cumsum(operands: Operands, attributes: Attributes) -> Any:
    if attributes.exclusive or attributes.axis is None:
        raise NotImplementedError
    return np.cumsum(operands[0], axis=attributes.axis)


def _shape_of(operands: Operands, attributes: Attributes) -> Any:
    return np.shape(operands[0])


_erf = np.vectorize(math.erf, otypes=[np.float64])

TABLE: dict[str, Function] = {
    # two operands
    "add": _plain(np.add),
    "subtract": _plain(np.subtract),
    "multiply": _plain(np.multiply),
    "divide": _divide,
    "floor_divide": _plain(np.floor_divide),
    "floor_mod": _plain(np.mod),
    "mod": _plain(np.fmod),
    "power": _plain(np.power),
    "maximum": _plain(np.maximum),
    "minimum": _plain(np.minimum),
    "equal": _plain(np.equal),
    "not_equal": _plain(np.not_equal),
    "less": _plain(np.less),
    "less_equal": _plain(np.less_equal),
    "greater": _plain(np.greater),
    "greater_equal": _plain(np.greater_equal),
    "logical_and": _plain(np.logical_and),
    "logical_or": _plain(np.logical_or),
    "logical_xor": _plain(np.logical_xor),
    "matmul": _plain(np.matmul),
    "where": _plain(np.where),
    # one operand
    "negative": _plain(np.negative),
    "abs": _plain(np.abs),
    "sqrt": _plain(np.sqrt),
    "rsqrt": _plain(lambda x: 1 / np.sqrt(x)),
    "exp": _plain(np.exp),
    "log": _plain(np.log),
    "tanh": _plain(np.tanh),
    "sigmoid": _plain(lambda x: 1 / (1 + np.exp(-x))),
    "erf": _plain(_erf),
    "sin": _plain(np.sin),
    "cos": _plain(np.cos),
    "floor": _plain(np.floor),
    "ceil": _plain(np.ceil),
    "round": _plain(np.round),
    "sign": _plain(np.sign),
    "square": _plain(np.square),
    "logical_not": _plain(np.logical_not),
    "isnan": _plain(np.isnan),
    "isinf": _plain(np.isinf),
    "isfinite": _plain(np.isfinite),
    "nn.relu": _plain(lambda x: np.maximum(x, 0)),
    "clip": _plain(np.clip),
    # reductions
    "sum": _reduction(np.sum),
    "mean": _reduction(np.mean),
    "max": _reduction(np.max),
    "min": _reduction(np.min),
    "prod": _reduction(np.prod),
    "cumsum": _cumsum,
    # moves
    "reshape": _plain(np.reshape),
    "flatten": _plain(np.ravel),
    "permute_dims": lambda operands, attributes: np.transpose(operands[0], attributes.axes),
    "expand_dims": lambda operands, attributes: np.expand_dims(operands[0], tuple(attributes.axis)),
    "squeeze": _squeeze,
    "broadcast_to": _plain(np.broadcast_to),
    "concat": lambda operands, attributes: np.concatenate(operands[0], axis=attributes.axis),
    "stack": lambda operands, attributes: np.stack(operands[0], axis=attributes.axis),
    "split": _split,
    "take": _take,
    "strided_slice": _strided_slice,
    "flip": lambda operands, attributes: np.flip(operands[0], attributes.axis),
    "tile": lambda operands, attributes: np.tile(operands[0], attributes.repeats),
    "repeat": lambda operands, attributes: np.repeat(operands[0], attributes.repeats, axis=attributes.axis),
    "gather_elements": _gather_elements,
    "astype": lambda operands, attributes: operands[0].astype(str(attributes.dtype)),
    # making
    "zeros": lambda operands, attributes: np.zeros(operands[0], str(attributes.dtype)),
    "ones": lambda operands, attributes: np.ones(operands[0], str(attributes.dtype)),
    "full": _plain(np.full),
    "zeros_like": _plain(np.zeros_like),
    "ones_like": _plain(np.ones_like),
    "full_like": _plain(np.full_like),
    "arange": _plain(np.arange),
    "shape_of": _shape_of,
    "shape_to_tensor": _plain(lambda shape: np.asarray(shape, np.int64)),
    "tensor_to_shape": _plain(tuple),
}
