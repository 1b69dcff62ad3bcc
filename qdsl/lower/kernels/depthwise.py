"""A convolution of each channel by itself, over channels-last data: the steps of `conv` without a sum over channels.

plain     acc[n, y, x, o] = sum over the window of filled[n, y.., x.., o // multiplier] * weights[rh, rw, o]
taps      the window's rows in fours, for an instruction that adds four products; missing rows have zero weights,
          channels are filled up to whole registers
"""

from __future__ import annotations

import numpy as np
from tvm import te, tirx

from qdsl.lower.kernels.conv import MARK, NOTHING, fill_around
from qdsl.lower.kernels.extras import Extras
from qdsl.lower.kernels.window import Window

KIND = "depthwise"
TAPS = 4
"""Rows of the window that the instruction takes at once."""


def pack_depthwise(weights: np.ndarray) -> np.ndarray:
    """OIHW with I = 1 to (H, W, O)."""
    return np.ascontiguousarray(weights[:, 0].transpose(1, 2, 0))


def pack_taps(weights: np.ndarray, lanes: int) -> np.ndarray:
    """OIHW with I = 1 to (ceil(O / lanes), ceil(H / 4), W, lanes, 4), filled up with zeros."""
    channels, _, height, width = weights.shape
    blocks, groups = -(-channels // lanes), -(-height // TAPS)
    full = np.zeros((blocks * lanes, groups * TAPS, width), weights.dtype)
    full[:channels, :height] = weights[:, 0]
    shaped = full.reshape(blocks, lanes, groups, TAPS, width)
    return np.ascontiguousarray(shaped.transpose(0, 2, 4, 1, 3))


def depthwise(
    data: te.Tensor, packed: te.Tensor, window: Window, *, accumulator: str, extras: Extras = NOTHING
) -> te.Tensor:
    """data (N, H, W, C), packed (KH, KW, O) with O a multiple of C -> (N, H', W', O) of dtype `accumulator`."""
    batch, height, width, inputs = (int(extent) for extent in data.shape)
    kernel_h, kernel_w, channels = (int(extent) for extent in packed.shape)
    rows, columns = window.outputs(height, width)
    filled = fill_around(data, window, window.inputs(rows, columns), inputs, extras, KIND)
    rh, rw = te.reduce_axis((0, kernel_h), "rh"), te.reduce_axis((0, kernel_w), "rw")
    multiplier = channels // inputs

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        place = (y * window.strides[0] + rh * window.dilation[0], x * window.strides[1] + rw * window.dilation[1])
        value = filled[n, place[0], place[1], tirx.floordiv(o, multiplier) if multiplier > 1 else o]
        return te.sum(value.astype(accumulator) * packed[rh, rw, o].astype(accumulator), axis=[rh, rw])

    shape = (batch, rows, columns, channels)
    acc = te.compute(shape, term, name="acc", attrs={MARK: f"accumulate.{KIND}.plain"})
    return te.compute(
        shape, lambda *index: extras.plus_bias(acc[index], index[-1]), name="out", attrs={MARK: f"out.{KIND}.plain"}
    )


def depthwise_taps(data: te.Tensor, packed: te.Tensor, window: Window, extras: Extras = NOTHING) -> te.Tensor:
    """uint8 data (N, H, W, C), int8 packed as in `pack_taps`, without dilation -> int32 (N, H', W', C)."""
    batch, height, width, channels = (int(extent) for extent in data.shape)
    blocks, groups, kernel_w, lanes, _ = (int(extent) for extent in packed.shape)
    rows, columns = window.outputs(height, width)
    read = window.inputs(rows, columns)
    deep = (read[0] + groups * TAPS - window.kernel[0], read[1])
    filled = fill_around(data, window, deep, blocks * lanes, extras, KIND)
    rg, rw, rd = (te.reduce_axis((0, n), name) for n, name in ((groups, "rg"), (kernel_w, "rw"), (TAPS, "rd")))

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        value = filled[n, y * window.strides[0] + rg * TAPS + rd, x * window.strides[1] + rw, o]
        weight = packed[o // lanes, rg, rw, o % lanes, rd]
        return te.sum(value.astype("int32") * weight.astype("int32"), axis=[rg, rw, rd])

    shape = (batch, rows, columns, blocks * lanes)
    acc = te.compute(shape, term, name="acc", attrs={MARK: f"accumulate.{KIND}.taps"})
    return te.compute(
        (batch, rows, columns, channels),
        lambda *index: extras.plus_bias(acc[index], index[-1]),
        name="out",
        attrs={MARK: f"out.{KIND}.taps"},
    )
