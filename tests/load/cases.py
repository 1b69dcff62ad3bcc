"""One small ONNX model for each form that loading changes, with the Relax operators that it has to come out as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx

from .models import Array, model, node, random


@dataclass(frozen=True)
class Case:
    name: str
    proto: onnx.ModelProto
    operators: dict[str, int]
    """The operators of the loaded module, by number."""
    value: Callable[[Array], Array] | None = None
    """What it computes, where onnx's reference follows a newer operator set."""


IMAGE = {"x": [1, 4, 6, 6]}
ROWS = {"x": [3, 8]}
WEIGHT = {"w": random(4, 4, 3, 3), "b": random(4)}
NORM = {"g": random(4), "beta": random(4), "m": random(4), "v": np.abs(random(4)) + 0.1}


def one(name: str, *inputs: str, **attributes: object) -> list[onnx.NodeProto]:
    return [node(name, list(inputs), ["y"], **attributes)]


def ints(*values: int) -> np.ndarray:
    return np.asarray(values, np.int64)


def _old_softmax(x: Array) -> Array:
    """Before set 13: over all dimensions from the first on."""
    e = np.exp(x.reshape(x.shape[0], -1).astype(np.float64))
    return (e / e.sum(axis=1, keepdims=True)).reshape(x.shape).astype(x.dtype)


BOUNDS = [
    Case("relu6", model(one("Clip", "x", "lo", "hi"), IMAGE, constants={"lo": 0.0, "hi": 6.0}), {"clip": 1}),
    Case("clip by attributes", model(one("Clip", "x", min=-1.0, max=0.5), IMAGE, opset=6), {"clip": 1}),
    Case("clip above only", model(one("Clip", "x", "", "hi"), IMAGE, constants={"hi": 0.5}), {"clip": 1}),
    Case("clip at zero is relu", model(one("Clip", "x", "lo"), IMAGE, constants={"lo": 0.0}), {"nn.relu": 1}),
    Case("clip without bounds", model([node("Clip", ["x"], ["a"]), node("Relu", ["a"], ["y"])], IMAGE), {"nn.relu": 1}),
    Case("maximum with zero is relu", model(one("Max", "z", "x"), IMAGE, constants={"z": [0.0]}), {"nn.relu": 1}),
    Case(
        "minimum of maximum is clip",
        model(
            [node("Max", ["x", "lo"], ["a"]), node("Min", ["hi", "a"], ["y"])], IMAGE, constants={"lo": -0.5, "hi": 0.5}
        ),
        {"clip": 1},
    ),
    Case(
        "clip of relu is one clip",
        model([node("Relu", ["x"], ["a"]), node("Clip", ["a", "", "hi"], ["y"])], IMAGE, constants={"hi": 1.0}),
        {"clip": 1},
    ),
    Case(
        "bounds that depend on an input",
        model(one("Clip", "x", "lo", "hi"), {**IMAGE, "lo": [], "hi": []}),
        {"maximum": 1, "minimum": 1},
    ),
]

ARITHMETIC = [
    Case("constant first", model(one("Add", "c", "x"), ROWS, constants={"c": random(8)}), {"add": 1}),
    Case("subtract a constant", model(one("Sub", "x", "c"), ROWS, constants={"c": random(8)}), {"add": 1}),
    Case("subtract from a constant", model(one("Sub", "c", "x"), ROWS, constants={"c": 1.0}), {"subtract": 1}),
    Case("divide by a constant", model(one("Div", "x", "c"), ROWS, constants={"c": [3.0]}), {"multiply": 1}),
    Case("divide by almost nothing", model(one("Div", "x", "c"), ROWS, constants={"c": [1e-40]}), {"divide": 1}),
    Case("divide a constant", model(one("Div", "c", "a"), {"a": [3, 8]}, constants={"c": 1.0}), {"divide": 1}),
    Case("largest of three", model(one("Max", "x", "y0", "z"), {**ROWS, "y0": [8], "z": [3, 1]}), {"maximum": 2}),
    Case("least of two", model(one("Min", "x", "z"), {**ROWS, "z": [3, 1]}), {"minimum": 1}),
    Case("sum of three", model(one("Sum", "x", "z", "c"), {**ROWS, "z": [1]}, constants={"c": random(8)}), {"add": 2}),
    Case("mean of two", model(one("Mean", "x", "z"), {**ROWS, "z": [8]}), {"add": 1, "multiply": 1}),
    Case("sum of one", model([node("Sum", ["x"], ["a"]), node("Relu", ["a"], ["y"])], ROWS), {"nn.relu": 1}),
    Case("integer exponent", model(one("Pow", "x", "e"), ROWS, constants={"e": ints(2)}), {"power": 1}),
    Case(
        "unit length",
        model(one("LpNormalization", "x", axis=1), ROWS),
        {"multiply": 1, "sum": 1, "sqrt": 1, "clip": 1, "divide": 1},
    ),
]

HARDSWISH = {"add": 1, "clip": 1, "multiply": 2}
SIX = {"three": 3.0, "zero": 0.0, "six": 6.0}
ACTIVATIONS = [
    Case("hardswish", model(one("HardSwish", "x"), IMAGE), HARDSWISH),
    Case(
        "hardswish as x * hardsigmoid(x)",
        model([node("HardSigmoid", ["x"], ["h"], alpha=1 / 6, beta=0.5), node("Mul", ["h", "x"], ["y"])], IMAGE),
        HARDSWISH,
    ),
    Case(
        "hardswish as x * relu6(x + 3) / 6",
        model(
            [
                node("Add", ["three", "x"], ["a"]),
                node("Clip", ["a", "zero", "six"], ["c"]),
                node("Mul", ["x", "c"], ["p"]),
                node("Div", ["p", "six"], ["y"]),
            ],
            IMAGE,
            constants=SIX,
        ),
        HARDSWISH,
    ),
    Case(
        "hardswish as x * (relu6(x + 3) / 6)",
        model(
            [
                node("Add", ["x", "three"], ["a"]),
                node("Clip", ["a", "zero", "six"], ["c"]),
                node("Div", ["c", "six"], ["h"]),
                node("Mul", ["x", "h"], ["y"]),
            ],
            IMAGE,
            constants=SIX,
        ),
        HARDSWISH,
    ),
    Case(
        "hardsigmoid of something else",
        model(
            [node("HardSigmoid", ["z"], ["h"], alpha=1 / 6), node("Mul", ["x", "h"], ["y"])],
            {**IMAGE, "z": [1, 4, 1, 1]},
        ),
        {"multiply": 2, "add": 1, "clip": 1},
    ),
    Case("hardsigmoid", model(one("HardSigmoid", "x"), IMAGE), {"multiply": 1, "add": 1, "clip": 1}),
    Case("one slope", model(one("PRelu", "x", "s"), IMAGE, constants={"s": [0.25]}), {"nn.leakyrelu": 1}),
    Case("a slope a channel", model(one("PRelu", "x", "s"), IMAGE, constants={"s": random(4, 1, 1)}), {"nn.prelu": 1}),
    Case("softmax of the last axis", model(one("Softmax", "x", axis=1), ROWS, opset=11), {"nn.softmax": 1}),
    Case(
        "softmax over 1x1", model(one("Softmax", "x"), {"x": [1, 4, 1, 1]}, opset=11), {"nn.softmax": 1}, _old_softmax
    ),
    Case(
        "softmax over several axes",
        model(one("Softmax", "x"), IMAGE, opset=11),
        {"nn.softmax": 1, "reshape": 2},
        _old_softmax,
    ),
    Case(
        "expanded by its schema",
        model(one("Celu", "x", alpha=1.5), ROWS),
        {"multiply": 3, "exp": 1, "subtract": 1, "nn.relu": 2, "add": 1},
    ),
]

CONV = {"nn.conv2d": 1, "add": 1}
LINEAR = [
    Case("conv with bias", model(one("Conv", "x", "w", "b", pads=[0, 1, 1, 2]), IMAGE, constants=WEIGHT), CONV),
    *(
        Case(
            f"conv padded {end}",
            model(one("Conv", "x", "w", auto_pad=f"SAME_{end}", strides=[2, 1]), {"x": [1, 4, 6, 7]}, constants=WEIGHT),
            {"nn.conv2d": 1},
        )
        for end in ("UPPER", "LOWER")
    ),
    Case(
        "conv transpose of a wanted size",
        model(
            one("ConvTranspose", "x", "w", strides=[3, 2], output_shape=[18, 13]),
            IMAGE,
            constants={"w": random(4, 2, 3, 3)},
        ),
        {"nn.conv2d_transpose": 1},
    ),
    Case(
        "batch norm stays",
        model(one("BatchNormalization", "x", "g", "beta", "m", "v", epsilon=1e-2), IMAGE, constants=NORM),
        {"nn.batch_norm": 1},
    ),
    Case(
        "gemm",
        model(one("Gemm", "x", "w", "c"), ROWS, constants={"w": random(8, 5), "c": random(5)}),
        {"matmul": 1, "add": 1},
    ),
    Case(
        "gemm transposed and scaled",
        model(
            one("Gemm", "x", "w", "c", transA=1, transB=1, alpha=0.5, beta=2.0),
            {"x": [8, 3]},
            constants={"w": random(5, 8), "c": random(3, 1)},
        ),
        {"permute_dims": 1, "matmul": 1, "add": 1},
    ),
    Case(
        "gemm of two inputs",
        model(one("Gemm", "x", "w", alpha=0.5, transB=1), {**ROWS, "w": [5, 8]}),
        {"permute_dims": 1, "matmul": 1, "multiply": 1},
    ),
    Case("global average", model(one("GlobalAveragePool", "x"), IMAGE), {"mean": 1}),
]

CASES = [*BOUNDS, *ARITHMETIC, *ACTIVATIONS, *LINEAR]
