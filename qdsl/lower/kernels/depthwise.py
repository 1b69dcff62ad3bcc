"""A convolution of each channel by itself, over channels-last data: the steps of `conv` without a sum over channels.

acc[n, y, x, o] = sum over the window of filled[n, y.., x.., o // multiplier] * weights[rh, rw, o]
"""

from __future__ import annotations

import numpy as np
from tvm import te, tirx

from qdsl.lower.kernels.conv import MARK, fill_around
from qdsl.lower.kernels.window import Window

KIND = "depthwise"


def pack_depthwise(weights: np.ndarray) -> np.ndarray:
    """OIHW with I = 1 to (H, W, O)."""
    return np.ascontiguousarray(weights[:, 0].transpose(1, 2, 0))


def depthwise(
    data: te.Tensor, packed: te.Tensor, window: Window, *, accumulator: str, fill: te.Tensor | None = None
) -> te.Tensor:
    """data (N, H, W, C), packed (KH, KW, O) with O a multiple of C -> (N, H', W', O) of dtype `accumulator`."""
    batch, height, width, inputs = (int(extent) for extent in data.shape)
    kernel_h, kernel_w, channels = (int(extent) for extent in packed.shape)
    rows, columns = window.outputs(height, width)
    filled = fill_around(data, window, window.inputs(rows, columns), inputs, fill, KIND)
    rh, rw = te.reduce_axis((0, kernel_h), "rh"), te.reduce_axis((0, kernel_w), "rw")
    multiplier = channels // inputs

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        place = (y * window.strides[0] + rh * window.dilation[0], x * window.strides[1] + rw * window.dilation[1])
        value = filled[n, place[0], place[1], tirx.floordiv(o, multiplier) if multiplier > 1 else o]
        return te.sum(value.astype(accumulator) * packed[rh, rw, o].astype(accumulator), axis=[rh, rw])

    shape = (batch, rows, columns, channels)
    acc = te.compute(shape, term, name="acc", attrs={MARK: f"accumulate.{KIND}"})
    return te.compute(shape, lambda *index: acc[index], name="out", attrs={MARK: f"out.{KIND}"})
