"""Operators as older operator sets wrote them, with attributes where TVM's converters expect inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax
from tvm.relax.frontend.onnx import onnx_frontend as frontend

from qdsl.load.converters.base import Attributes, Converter, known_shape
from qdsl.load.operands import constant


def reshape(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """Sets before 5 give the shape as an attribute."""
    if opset >= 5:
        return None
    sizes = known_shape(inputs[0])
    wanted = [sizes[i] if size == 0 else int(size) for i, size in enumerate(attributes["shape"])]
    return relax.op.reshape(inputs[0], wanted)


def slice_(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """Sets before 10 give starts, ends and axes as attributes."""
    if opset >= 10:
        return None
    starts, ends = attributes["starts"], attributes["ends"]
    axes = attributes.get("axes", range(len(starts)))
    given = [inputs[0], *(constant(list(values), "int64") for values in (starts, ends, axes))]
    return frontend.Slice._impl_v13(builder, frontend.onnx_input(given), {}, [{}, {}])


def concat(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """Sets before 4 join along axis 1 unless told otherwise."""
    if opset >= 4 or "axis" in attributes:
        return None
    return relax.op.concat(list(inputs), axis=1)


def softmax(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """Sets before 13 normalise over all dimensions from `axis` on; where only one of them exceeds 1, it is the axis."""
    if opset >= 13:
        return None
    sizes = known_shape(inputs[0])
    first = attributes.get("axis", 1) % max(len(sizes), 1)
    wide = [axis for axis in range(first, len(sizes)) if sizes[axis] != 1]
    if len(wide) > 1 or not sizes:
        return None
    return relax.op.nn.softmax(inputs[0], axis=wide[0] if wide else first)


def _broadcasting(name: str) -> Converter:
    """Sets before 7 line the second operand up with the first from `axis` on, where `broadcast` is set."""

    def converter(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
        if opset >= 7 or not attributes.get("broadcast", 0) or "axis" not in attributes:
            return None
        a, b = inputs[0], inputs[1]
        sizes = known_shape(b)
        behind = len(known_shape(a)) - attributes["axis"] % len(known_shape(a)) - len(sizes)
        lined_up = builder.normalize(relax.op.reshape(b, [*sizes, *np.ones(behind, int).tolist()]))
        theirs = frontend._get_convert_map()[name].get_converter(opset)
        return theirs(builder, [a, lined_up], attributes, [{}, {}])

    return converter


CONVERTERS: dict[str, Converter] = {
    "Reshape": reshape,
    "Slice": slice_,
    "Concat": concat,
    "Softmax": softmax,
    **{
        name: _broadcasting(name)
        for name in ("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Less", "Greater", "Equal")
    },
}
