"""Elementwise operators: Clip, HardSwish, Dropout, PRelu, and the n-ary Max, Min, Sum, Mean."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax

from qdsl.load.converters.base import Attributes, Converter, known_shape
from qdsl.load.operands import array_of, constant, dtype_of, is_float, scalar_of


def clip(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """min(max(x, low), high): one clip where the bounds are numbers. A NaN bound bounds nothing."""
    x, low, high = inputs[0], inputs[1], inputs[2]
    dtype = dtype_of(x)
    if opset < 11:
        low = constant(attributes["min"], dtype) if "min" in attributes else None
        high = constant(attributes["max"], dtype) if "max" in attributes else None
    numbers = [scalar_of(bound) for bound in (low, high)]
    if any(bound is not None and number is None for bound, number in zip((low, high), numbers, strict=True)):
        x = x if low is None else relax.op.maximum(x, low)
        return x if high is None else relax.op.minimum(x, high)
    if not dtype.startswith("float"):
        x = x if low is None else relax.op.maximum(x, low)
        return x if high is None else relax.op.minimum(x, high)
    least, most = float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    return relax.op.clip(x, _bound(numbers[0], least, least, most), _bound(numbers[1], most, least, most))


def _bound(number: float | None, absent: float, least: float, most: float) -> float:
    return absent if number is None or np.isnan(number) else float(np.clip(number, least, most))


def hard_swish(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """x * clip(x + 3, 0, 6) * (1/6), the factor last, where it is a change of scale."""
    x = inputs[0]
    gate = relax.op.clip(relax.op.add(x, constant(3, dtype_of(x))), 0, 6)
    return relax.op.multiply(relax.op.multiply(x, gate), constant(1 / 6, dtype_of(x)))


def dropout(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """x itself: nothing is dropped at inference. The mask, where one is asked for, keeps everything."""
    training = array_of(inputs[2]) if inputs[2] is not None else np.asarray(False)
    if training is None or training.any():
        raise ValueError("it is in training mode; export the model for inference.")
    x = inputs[0]
    if attributes["tvm_custom"]["num_outputs"] < 2:
        return x
    return relax.Tuple([x, constant(np.ones(known_shape(x), "bool" if opset >= 10 else dtype_of(x)))])


def prelu(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """One slope for all is a leaky relu; one a channel is nn.prelu, also as sets before 7 wrote it (a bare [C])."""
    x, slope = inputs[0], inputs[1]
    alpha = scalar_of(slope)
    if alpha is not None:
        return relax.op.nn.leakyrelu(x, alpha)
    sizes = known_shape(slope)
    if opset < 7 and len(sizes) == 1 and len(known_shape(x)) > 1:
        return relax.op.nn.prelu(x, slope, axis=1)
    return None


def _chain(operator: Callable[[Any, Any], Any]) -> Converter:
    def converter(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
        return functools.reduce(operator, list(inputs))

    return converter


def mean_of(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """(a + b + ...) * (1/n)"""
    total = functools.reduce(relax.op.add, list(inputs))
    return relax.op.multiply(total, constant(1 / len(inputs), dtype_of(inputs[0])))


def power(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """x ** e in x's dtype, whatever the exponent's; TVM wants both alike, and floats."""
    x, exponent = inputs[0], inputs[1]
    if is_float(x) and dtype_of(x) == dtype_of(exponent):
        return None
    common = dtype_of(x) if is_float(x) else "float64"
    result = relax.op.power(relax.op.astype(x, common), relax.op.astype(exponent, common))
    return relax.op.astype(result, dtype_of(x))


CONVERTERS: dict[str, Converter] = {
    "Clip": clip,
    "HardSwish": hard_swish,
    "Dropout": dropout,
    "PRelu": prelu,
    "Pow": power,
    "Max": _chain(relax.op.maximum),
    "Min": _chain(relax.op.minimum),
    "Sum": _chain(relax.op.add),
    "Mean": mean_of,
}
