"""Calls of operators that a test can be made of: `x` and the other operands by their names in the rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from qdsl.ops import Operator
from qdsl.ruledoc.new.families import operator_data
from qdsl.ruledoc.new.sketch import operand_names

SHAPE = "1, 8, 4, 4"
"""Of every operand that the table says nothing of: what a convolution of eight channels takes and makes."""


@dataclass(frozen=True)
class Example:
    """How an operator is called in a test."""

    arguments: str = ""
    """What stands behind the tensors: `axis=1`."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The inputs whose shape, dtype or const-ness is another: {"w": "const float32[4, 8, 3, 3]"}."""
    lists: int = 2
    """Parts of an operand that is a list."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """What stands for an operand in the call: a variance is positive."""
    begun: str = "x"
    """What is done to x before: brings it into the function's domain."""


def _like(**inputs: str) -> Example:
    return Example(inputs=inputs)


_FLAT = "float32[8, 16]"
_CHANNELS = "const float32[8]"
_IDS = "int64[3]"

_WITHIN_1 = Example(begun="tanh(x)")
_ABOVE_1 = Example(begun="add(sigmoid(x), 1)")

EXAMPLES: Mapping[str, Example] = {
    **dict.fromkeys(("exp", "cosh", "sinh", "tan"), _WITHIN_1),
    **dict.fromkeys(("acosh", "log", "sqrt", "rsqrt"), _ABOVE_1),
    **dict.fromkeys(("acos", "asin", "atanh"), Example(begun="multiply(tanh(x), 0.5)")),
    "nn.conv1d": _like(x="float32[1, 8, 8]", w="const float32[4, 8, 3]"),
    "nn.conv2d": _like(x="float32[1, 8, 8, 8]", w="const float32[4, 8, 3, 3]"),
    "nn.conv3d": _like(x="float32[1, 4, 6, 6, 6]", w="const float32[4, 4, 3, 3, 3]"),
    "nn.conv1d_transpose": _like(x="float32[1, 8, 8]", w="const float32[8, 4, 3]"),
    "nn.conv2d_transpose": _like(x="float32[1, 8, 4, 4]", w="const float32[8, 4, 3, 3]"),
    "nn.conv3d_transpose": _like(x="float32[1, 4, 4, 4, 4]", w="const float32[4, 4, 3, 3, 3]"),
    "matmul": _like(x=_FLAT, w="const float32[16, 4]"),
    "outer": _like(a="float32[8]", b="float32[16]"),
    "reshape": Example("[1, 8, 16]"),
    "broadcast_to": Example("[2, 8, 4, 4]"),
    "permute_dims": Example("axes=[0, 2, 3, 1]"),
    "squeeze": Example("axis=[2]", {"x": "float32[1, 8, 1, 4]"}),
    "expand_dims": Example("axis=[1]"),
    "strided_slice": Example("[2, 3], [0, 0], [2, 4]"),
    "flip": Example("axis=1"),
    "repeat": Example("repeats=2, axis=1"),
    "tile": Example("repeats=[1, 1, 2, 1]"),
    "split": Example("indices_or_sections=2, axis=1"),
    "concat": Example("axis=1"),
    "stack": Example("axis=1"),
    "take": Example("axis=1", {"indices": _IDS}),
    "gather_elements": Example("axis=1", {"indices": "int64[1, 3, 4, 4]"}),
    "gather_nd": Example("", {"x": _FLAT.replace("8", "4"), "indices": "int64[3, 1]"}),
    "reverse_sequence": Example("", {"x": "float32[4, 8]", "seq_lengths": "int64[4]"}),
    "max": Example("axis=[3], keepdims=true"),
    "min": Example("axis=[3], keepdims=true"),
    "mean": Example("axis=[2, 3], keepdims=true"),
    "sum": Example("axis=[3], keepdims=true"),
    "cumsum": Example("axis=3"),
    "cumprod": Example("axis=3"),
    "topk": Example("k=2"),
    "nn.max_pool1d": Example("pool_size=[2], strides=[2]", {"x": "float32[1, 8, 16]"}),
    "nn.max_pool2d": Example("pool_size=[2, 2], strides=[2, 2]"),
    "nn.max_pool3d": Example("pool_size=[2, 2, 2], strides=[2, 2, 2]", {"x": "float32[1, 4, 4, 4, 4]"}),
    "nn.avg_pool1d": Example("pool_size=[2], strides=[2]", {"x": "float32[1, 8, 16]"}),
    "nn.avg_pool2d": Example("pool_size=[2, 2], strides=[2, 2]"),
    "nn.avg_pool3d": Example("pool_size=[2, 2, 2], strides=[2, 2, 2]", {"x": "float32[1, 8, 4, 4, 4]"}),
    "nn.adaptive_avg_pool1d": Example("output_size=[2]", {"x": "float32[1, 8, 16]"}),
    "nn.adaptive_avg_pool2d": Example("output_size=[2, 2]"),
    "nn.adaptive_avg_pool3d": Example("output_size=[2, 2, 2]", {"x": "float32[1, 8, 4, 4, 4]"}),
    "nn.pad": Example("pad_width=[0, 0, 0, 0, 1, 1, 1, 1]"),
    "nn.pixel_shuffle": Example("upscale_factor=2"),
    "image.resize2d": Example("[8, 8]"),
    "image.resize3d": Example("[4, 4, 4]", {"x": "float32[1, 4, 2, 2, 2]"}),
    "clip": Example("0, 6"),
    "astype": Example("float32"),
    "where": _like(condition=f"bool[{SHAPE}]"),
    "scatter_elements": Example("axis=1", {"indices": "int64[1, 3, 4, 4]", "updates": "float32[1, 3, 4, 4]"}),
    "slice_scatter": Example("0, 2, 1, axis=1", {"src": "float32[1, 2, 4, 4]"}),
    "einsum": Example('subscripts="ij,kj->ik"', {"x0": _FLAT, "x1": _FLAT}),
    "nn.batch_norm": Example(
        "axis=1, training=false",
        dict.fromkeys(("gamma", "beta", "mean", "var"), _CHANNELS),
        instead={"var": "var * var"},
    ),
    "index_tensor": Example("", {"x": "float32[4, 8]", "x0": _IDS}, lists=1),
    "nn.layer_norm": Example("axes=[-1]", {"x": "float32[4, 8]", "gamma": _CHANNELS, "beta": _CHANNELS}),
    "nn.rms_norm": Example("axes=[-1]", {"x": "float32[4, 8]", "w": _CHANNELS}),
    "nn.group_norm": Example("num_groups=2, channel_axis=1, axes=[2, 3]", {"gamma": _CHANNELS, "beta": _CHANNELS}),
    "nn.instance_norm": Example("channel_axis=1, axes=[2, 3]", {"gamma": _CHANNELS, "beta": _CHANNELS}),
    "nn.prelu": _like(alpha=_CHANNELS),
    "nn.dropout": Example("rate=0.0"),
    "nn.attention": _like(query="float32[1, 4, 2, 8]", key="float32[1, 4, 2, 8]", value="float32[1, 4, 2, 8]"),
}


def inputs_of(operator: Operator) -> Iterator[tuple[str, str]]:
    """The operands of a call and what each is in `given`, in order; the parts of a list by numbered names."""
    example = EXAMPLES.get(operator.name, Example())
    data = operator_data(operator)
    for name, operand in zip(operand_names(operator), operator.tensor_operands, strict=False):
        parts = [f"x{number}" for number in range(example.lists)] if operand.kind == "tensors" else [name]
        for part in parts:
            yield part, example.inputs.get(part, f"{'float32' if name in data else 'int64'}[{SHAPE}]")
