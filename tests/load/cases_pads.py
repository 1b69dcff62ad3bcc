"""Models that pad: by inputs and by attributes, in every mode, and before convolutions."""

from __future__ import annotations

import numpy as np

from .cases import IMAGE, WEIGHT, Case, ints, one
from .models import model, node, random

PADS = ints(0, 0, 1, 2, 0, 0, 3, 0)
PAD = [
    *(
        Case(f"pad {mode}", model(one("Pad", "x", "p", mode=mode), IMAGE, constants={"p": PADS}), {"nn.pad": 1})
        for mode in ("constant", "reflect", "edge")
    ),
    Case("pad with a number", model(one("Pad", "x", "p", "c"), IMAGE, constants={"p": PADS, "c": 1.5}), {"nn.pad": 1}),
    Case("pad by attributes", model(one("Pad", "x", pads=list(PADS), value=0.5), IMAGE, opset=2), {"nn.pad": 1}),
    Case(
        "pad some axes",
        model(one("Pad", "x", "p", "", "a"), IMAGE, constants={"p": ints(1, 2, 3, 4), "a": ints(-1, 2)}, opset=18),
        {"nn.pad": 1},
    ),
    Case(
        "pad by negative widths",
        model(one("Pad", "x", "p"), IMAGE, constants={"p": ints(0, 0, -1, 2, 0, 0, 0, -2)}),
        {"strided_slice": 1, "nn.pad": 1},
        lambda x: np.pad(x[:, :, 1:, :4], ((0, 0), (0, 0), (0, 0), (2, 0))),
    ),
    Case(
        "pad by nothing",
        model([node("Pad", ["x", "p"], ["a"]), node("Relu", ["a"], ["y"])], IMAGE, constants={"p": ints(*[0] * 8)}),
        {"nn.relu": 1},
    ),
]

PADDED_CONVOLUTIONS = [
    Case(
        "zeros before a convolution",
        model(
            [node("Pad", ["x", "p"], ["a"]), *one("Conv", "a", "w", pads=[1, 0, 1, 1], strides=[2, 2])],
            IMAGE,
            constants={"p": PADS, "w": WEIGHT["w"]},
        ),
        {"nn.conv2d": 1},
    ),
    Case(
        "zeros before a convolution along one axis",
        model(
            [node("Pad", ["x", "p"], ["a"]), *one("Conv", "a", "w", pads=[1, 0])],
            {"x": [1, 4, 6]},
            constants={"p": ints(0, 0, 2, 0, 0, 3), "w": random(4, 4, 3)},
        ),
        {"nn.conv1d": 1},
    ),
    Case(
        "a pad that others read too",
        model(
            [node("Pad", ["x", "p"], ["a"]), node("Conv", ["a", "w"], ["c"], pads=[1, 1, 1, 1]), *one("Add", "a", "c")],
            IMAGE,
            constants={"p": PADS, "w": WEIGHT["w"]},
        ),
        {"nn.pad": 1, "nn.conv2d": 1, "add": 1},
    ),
    *(
        Case(
            f"{what} before a convolution stay",
            model(
                [node("Pad", ["x", "p", *value], ["a"], mode=mode), *one("Conv", "a", "w")],
                IMAGE,
                constants={"p": ints(*widths), "w": random(2, 5 if widths[1] else 4, 3, 3), "v": 0.5},
            ),
            {"nn.pad": 1, "nn.conv2d": 1},
        )
        for what, mode, value, widths in (
            ("mirrored elements", "reflect", [], PADS),
            ("other numbers", "constant", ["v"], PADS),
            ("more channels", "constant", [], ints(0, 1, 0, 0, 0, 0, 0, 0)),
        )
    ),
    Case(
        "zeros before a convolution and a transpose",
        model(
            [
                node("Pad", ["x", "p"], ["a"]),
                node("Transpose", ["a"], ["t"], perm=[0, 3, 1, 2]),
                *one("Conv", "t", "w"),
            ],
            {"x": [1, 6, 7, 4]},
            constants={"p": ints(0, 1, 2, 0, 0, 3, 4, 0), "w": WEIGHT["w"]},
        ),
        {"permute_dims": 1, "nn.conv2d": 1},
    ),
]

CASES = [*PAD, *PADDED_CONVOLUTIONS]
