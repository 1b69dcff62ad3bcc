"""Operators that move values: Pad."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax

from qdsl.load.converters.base import Attributes, Converter, known_shape
from qdsl.load.operands import array_of, scalar_of

PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


def pad(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """nn.pad with its widths and mode, where TVM's converter makes a kernel that no rule can read.

    ONNX lists all widths before, then all after; nn.pad lists before and after axis by axis. Negative widths crop.
    """
    x = inputs[0]
    mode = attributes.get("mode", b"constant").decode()
    widths = array_of(inputs[1]) if opset >= 11 else np.asarray(attributes.get("pads", attributes.get("paddings")))
    if widths is None:
        raise ValueError("its widths depend on the model's inputs.")
    rank = len(known_shape(x))
    chosen = np.arange(rank) if inputs[3] is None else array_of(inputs[3])
    if chosen is None:
        raise ValueError("the axes it pads depend on the model's inputs.")
    axes = [int(axis) % rank for axis in chosen]
    before, after = np.zeros(rank, np.int64), np.zeros(rank, np.int64)
    before[axes], after[axes] = np.split(widths.astype(np.int64), 2)
    if (before < 0).any() or (after < 0).any():
        x = _crop(x, before, after)
        before, after = np.maximum(before, 0), np.maximum(after, 0)
    if not before.any() and not after.any():
        return x
    value = float(attributes.get("value", 0.0)) if opset < 11 else 0.0
    if opset >= 11 and inputs[2] is not None:
        number = scalar_of(inputs[2])
        if number is None:
            raise ValueError("the value it pads with depends on the model's inputs.")
        value = number
    if mode not in PAD_MODES:
        raise ValueError(f"its mode '{mode}' is none of {', '.join(PAD_MODES)}.")
    pairs = np.stack([before, after], axis=1).reshape(-1)
    return relax.op.nn.pad(x, [int(width) for width in pairs], PAD_MODES[mode], value if mode == "constant" else 0.0)


def _crop(x: relax.Expr, before: np.ndarray, after: np.ndarray) -> relax.Expr:
    sizes = np.asarray(known_shape(x))
    begin, end = np.maximum(-before, 0), sizes - np.maximum(-after, 0)
    axes = [int(axis) for axis in np.nonzero((before < 0) | (after < 0))[0]]
    return relax.op.strided_slice(x, axes, [int(begin[axis]) for axis in axes], [int(end[axis]) for axis in axes])


CONVERTERS: dict[str, Converter] = {"Pad": pad}
