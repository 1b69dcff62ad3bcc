"""Between which whole numbers the values of an integer module lie: from its weights, biases and formats alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from tvm import relax

from qdsl.lower.layout.calls import attribute_values, constant, op_name
from qdsl.lower.rewrite import Rewriting

Interval = tuple[int, int]
_OF_DTYPE: dict[str, Interval] = {
    name: (int(np.iinfo(name).min), int(np.iinfo(name).max)) for name in ("int8", "uint8", "int16", "uint16", "int32")
}


class Intervals:
    """Least and greatest possible value of the old variables of a function, found as they are met in order."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting
        self._known: dict[relax.Expr, Interval] = {}

    def of(self, operand: relax.Expr) -> Interval | None:
        """The interval of an old operand; None for what is no integer."""
        array = constant(operand)
        if array is not None:
            return None if array.dtype.kind not in "iu" or not array.size else (int(array.min()), int(array.max()))
        known = self._known.get(operand)
        return known if known is not None else _OF_DTYPE.get(_dtype(operand))

    def note(self, variable: relax.Var, value: relax.Expr) -> None:
        """Take in the definition of an old variable."""
        rule = _RULES.get(op_name(value))
        most = _OF_DTYPE.get(_dtype(variable))
        if rule is None or most is None:
            return
        found = rule(self, value)
        if found is not None and most[0] <= found[0] and found[1] <= most[1]:
            self._known[variable] = found

    def weights(self, operand: relax.Expr) -> np.ndarray | None:
        """The array of an operand that is constant."""
        return constant(self._rewriting.defined(operand))


def _same(intervals: Intervals, call: relax.Call) -> Interval | None:
    return intervals.of(call.args[0])


def _sum(intervals: Intervals, call: relax.Call) -> Interval | None:
    a, b = (intervals.of(argument) for argument in call.args)
    return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])


def _difference(intervals: Intervals, call: relax.Call) -> Interval | None:
    a, b = (intervals.of(argument) for argument in call.args)
    return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])


def _maximum(intervals: Intervals, call: relax.Call) -> Interval | None:
    a, b = (intervals.of(argument) for argument in call.args)
    return None if a is None or b is None else (max(a[0], b[0]), max(a[1], b[1]))


def _minimum(intervals: Intervals, call: relax.Call) -> Interval | None:
    a, b = (intervals.of(argument) for argument in call.args)
    return None if a is None or b is None else (min(a[0], b[0]), min(a[1], b[1]))


def _format(_intervals: Intervals, call: relax.Call) -> Interval | None:
    attrs = attribute_values(call)
    return int(attrs["low"]), int(attrs["high"])


def _product(intervals: Intervals, call: relax.Call) -> Interval | None:
    """Sums of data times constant weights: positive weights and negative ones apart, padding being 0."""
    data, weights = intervals.of(call.args[0]), intervals.weights(call.args[1])
    if data is None or weights is None or weights.dtype.kind not in "iu":
        return None
    layout = "IO" if op_name(call) == "matmul" else str(call.attrs.kernel_layout)
    if layout == "IO" and weights.ndim != 2:
        return None
    summed = tuple(axis for axis, letter in enumerate(layout) if letter != "O")
    low, high = min(data[0], 0), max(data[1], 0)
    wide = weights.astype(np.int64)
    positive, negative = np.maximum(wide, 0).sum(summed), np.minimum(wide, 0).sum(summed)
    return int((positive * low + negative * high).min()), int((positive * high + negative * low).max())


_RULES: Mapping[str, Callable[[Intervals, relax.Call], Interval | None]] = {
    "add": _sum,
    "subtract": _difference,
    "maximum": _maximum,
    "minimum": _minimum,
    "qdsl.requantize": _format,
    "qdsl.quantize": _format,
    "nn.conv1d": _product,
    "nn.conv2d": _product,
    "matmul": _product,
    **dict.fromkeys(("astype", "reshape", "permute_dims", "squeeze", "expand_dims", "nn.max_pool2d"), _same),
}


def _dtype(operand: relax.Expr) -> str:
    return str(operand.ty.dtype.dtype) if isinstance(operand.ty, relax.TensorType) and operand.ty.dtype else ""
