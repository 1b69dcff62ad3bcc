"""Models whose operators move values: reshapes, transposes, sizes that are computed, old operator sets."""

from __future__ import annotations

import numpy as np
import onnx

from .cases import IMAGE, NORM, ROWS, Case, ints, one
from .models import Array, model, node, random

NOTHING = [
    Case(
        "reshape to the same",
        model([*one("Reshape", "r", "s"), node("Relu", ["x"], ["r"])][::-1], ROWS, constants={"s": ints(3, -1)}),
        {"nn.relu": 1},
    ),
    Case("cast to the same", model([node("Relu", ["x"], ["r"]), *one("Cast", "r", to=1)], ROWS), {"nn.relu": 1}),
    Case("dropout", model([node("Relu", ["x"], ["r"]), *one("Dropout", "r")], ROWS), {"nn.relu": 1}),
    Case(
        "dropout by attribute",
        model([node("Relu", ["x"], ["r"]), *one("Dropout", "r", ratio=0.3)], ROWS, opset=10),
        {"nn.relu": 1},
    ),
    Case("identity", model([node("Identity", ["x"], ["i"]), *one("Relu", "i")], ROWS), {"nn.relu": 1}),
    Case(
        "two transposes that cancel",
        model(
            [
                node("Transpose", ["x"], ["t"], perm=[1, 0]),
                node("Relu", ["t"], ["r"]),
                *one("Transpose", "r", perm=[1, 0]),
            ],
            ROWS,
        ),
        {"nn.relu": 1},
    ),
    Case("a transpose of ones", model(one("Transpose", "x", perm=[0, 2, 3, 1]), {"x": [1, 4, 1, 1]}), {"reshape": 1}),
    Case(
        "unread outputs",
        model([node("Split", ["x"], ["a", "b"], axis=1), *one("Relu", "b")], ROWS),
        {"split": 1, "nn.relu": 1},
    ),
]


def _channels_last() -> onnx.ModelProto:
    """A network as a channels-last framework exports it: every convolution between two transposes."""
    nodes = [
        node("Transpose", ["x"], ["a"], perm=[0, 3, 1, 2]),
        node("Conv", ["a", "w"], ["c"], pads=[1, 1, 1, 1]),
        node("Transpose", ["c"], ["d"], perm=[0, 2, 3, 1]),
        node("Add", ["d", "bias"], ["e"]),
        node("PRelu", ["e", "slope"], ["f"]),
        node("Transpose", ["f"], ["g"], perm=[0, 3, 1, 2]),
        node("Conv", ["g", "w"], ["h"], pads=[1, 1, 1, 1]),
        node("Transpose", ["h"], ["i"], perm=[0, 2, 3, 1]),
        node("Add", ["i", "f"], ["j"]),
        node("Pad", ["j", "p"], ["k"]),
        node("Concat", ["k", "k"], ["l"], axis=-1),
        node("ReduceMean", ["l"], ["m"], axes=[1, 2], keepdims=0),
        node("Relu", ["m"], ["y"]),
    ]
    constants = {
        "w": random(4, 4, 3, 3),
        "bias": random(4),
        "slope": random(1, 1, 4),
        "p": ints(0, 1, 2, 0, 0, 0, 0, 0),
    }
    return model(nodes, {"x": [1, 6, 6, 4]}, constants=constants)


TRANSPOSES = [
    Case(
        "channels last",
        _channels_last(),
        {"permute_dims": 1, "nn.conv2d": 2, "add": 2, "nn.prelu": 1, "nn.pad": 1, "concat": 1, "mean": 1, "nn.relu": 1},
    ),
    Case(
        "attention keeps its transposes",
        model(
            [
                node("Transpose", ["x"], ["t"], perm=[0, 2, 1]),
                node("MatMul", ["x", "t"], ["s"]),
                node("Softmax", ["s"], ["p"], axis=2),
                node("MatMul", ["p", "x"], ["y"]),
            ],
            {"x": [2, 3, 4]},
        ),
        {"permute_dims": 1, "matmul": 2, "nn.softmax": 1},
    ),
]


def _computed_sizes() -> onnx.ModelProto:
    """Shape -> Gather -> arithmetic -> Concat -> Reshape, Resize, Expand, Range and ConstantOfShape, all constant."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"], axis=0),
        node("Unsqueeze", ["n", "zeros"], ["n1"]),
        node("Concat", ["n1", "minus", "size"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["r"]),
        node("Slice", ["s", "two", "four"], ["hw"]),
        node("Mul", ["hw", "pair"], ["hw2"]),
        node("Slice", ["s", "zeros", "two"], ["nc"]),
        node("Concat", ["nc", "hw2"], ["sizes"], axis=0),
        node(
            "Resize", ["x", "", "", "sizes"], ["big"], coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        ),
        node("ReduceMax", ["big"], ["m"], axes=[2, 3], keepdims=0),
        node("Shape", ["r"], ["rs"]),
        node("ConstantOfShape", ["rs"], ["ones"], value=onnx.helper.make_tensor("v", 1, [1], [2.0])),
        node("Add", ["r", "ones"], ["q"]),
        node("Range", ["zero", "six", "one"], ["ramp"]),
        node("Cast", ["ramp"], ["rampf"], to=1),
        node("Add", ["q", "rampf"], ["u"]),
        node("ReduceSum", ["u", "lastaxis"], ["v"], keepdims=0),
        node("ReduceSum", ["v", "lastaxis"], ["w"], keepdims=1),
        node("Add", ["m", "w"], ["y"]),
    ]
    constants = {
        "zero": np.int64(0), "one": np.int64(1), "six": np.int64(6), "zeros": ints(0), "minus": ints(-1),
        "size": ints(6), "two": ints(2), "four": ints(4), "pair": ints(2, 2), "lastaxis": ints(-1),
    }  # fmt: skip
    return model(nodes, {"x": ["N", 4, 6, 6]}, constants=constants)


SIZES = [
    Case(
        "sizes that are computed", _computed_sizes(), {"reshape": 1, "image.resize2d": 1, "max": 1, "add": 3, "sum": 2}
    ),
    Case(
        "shape of a slice of the shape",
        model([node("Shape", ["x"], ["s"], start=1), node("Reshape", ["x", "s"], ["y"])], {"x": [1, 3, 8]}),
        {"reshape": 1},
    ),
]

PER_POSITION = {"g": random(4, 6, 6), "beta": random(4, 6, 6), "m": random(4, 6, 6), "v": np.abs(random(4, 6, 6)) + 0.1}


def _normalised(x: Array, norm: dict[str, Array]) -> Array:
    return (x - norm["m"]) / np.sqrt(norm["v"] + np.float32(1e-5)) * norm["g"] + norm["beta"]


OLD = [
    Case(
        "slice by attributes",
        model(one("Slice", "x", starts=[1, -3], ends=[9, 8], axes=[0, 1]), ROWS, opset=9),
        {"strided_slice": 1},
    ),
    Case("squeeze by attribute", model(one("Squeeze", "x", axes=[0]), {"x": [1, 5]}, opset=11), {"squeeze": 1}),
    Case("unsqueeze by attribute", model(one("Unsqueeze", "x", axes=[0]), ROWS, opset=11), {"expand_dims": 1}),
    Case(
        "split by attribute",
        model([node("Split", ["x"], ["a", "y"], split=[3, 5], axis=1)], ROWS, opset=11),
        {"split": 1},
    ),
    Case("sum by attribute", model(one("ReduceSum", "x", axes=[1]), ROWS, opset=11), {"sum": 1}),
    Case(
        "upsample",
        model(one("Upsample", "x", "s"), IMAGE, constants={"s": [1.0, 1.0, 2.0, 3.0]}, opset=9),
        {"image.resize2d": 1},
    ),
    Case(
        "resize of set 10",
        model(one("Resize", "x", "s"), IMAGE, constants={"s": [1.0, 1.0, 2.0, 2.0]}, opset=10),
        {"image.resize2d": 1},
        lambda x: x.repeat(2, axis=2).repeat(2, axis=3),
    ),
    Case(
        "batch norm of an old set",
        model(one("BatchNormalization", "x", "g", "beta", "m", "v"), IMAGE, constants=NORM, opset=9),
        {"nn.batch_norm": 1},
        lambda x: _normalised(x, {name: array.reshape(4, 1, 1) for name, array in NORM.items()}),
    ),
    Case(
        "batch norm with statistics per position",
        model(one("BatchNormalization", "x", "g", "beta", "m", "v", spatial=0), IMAGE, constants=PER_POSITION, opset=7),
        {"multiply": 1, "add": 1},
        lambda x: _normalised(x, PER_POSITION),
    ),
    Case(
        "add along an axis",
        model(one("Add", "x", "c", broadcast=1, axis=1), IMAGE, constants={"c": NORM["g"]}, opset=6),
        {"add": 1},
        lambda x: x + NORM["g"].reshape(4, 1, 1),
    ),
    Case(
        "a bare slope a channel",
        model(one("PRelu", "x", "s"), IMAGE, constants={"s": NORM["g"]}, opset=6),
        {"nn.prelu": 1},
        lambda x: np.where(x < 0, x * NORM["g"].reshape(4, 1, 1), x),
    ),
    Case(
        "reshape by attribute",
        model(one("Reshape", "x", shape=[0, -1]), IMAGE, opset=4),
        {"reshape": 1},
        lambda x: x.reshape(1, -1),
    ),
    Case(
        "concat without an axis",
        model(one("Concat", "x", "x"), ROWS, opset=3),
        {"concat": 1},
        lambda x: np.concatenate([x, x], axis=1),
    ),
]

CASES = [*NOTHING, *TRANSPOSES, *SIZES, *OLD]
