"""A transposed convolution as an ordinary one that computes all phases of the output at once.

With stride s, an output row y = s * Y + p reads only the kernel rows k with (p + top - k) divisible by s. With
r = (p + top) mod s, q = (p + top) // s and k = r + s * t, it reads input row Y + q - t: an ordinary convolution over
the input whose window rows are u = q - t. Columns likewise. The channels of that convolution are (phase row, phase
column, output channel); the result is read from it place by place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import te, tirx

from qdsl.lower.kernels.conv import MARK, NOTHING, accumulate
from qdsl.lower.kernels.extras import Extras
from qdsl.lower.kernels.window import Window

STRIDES = "qdsl.strides"
"""The annotation on the last step: the strides, e.g. 2x2."""


@dataclass(frozen=True)
class Phases:
    """An ordinary convolution that stands for a transposed one."""

    kernel: np.ndarray
    """OIHW, with strides[0] * strides[1] times the channels."""
    window: Window
    """Places: as many as phases of the whole output."""
    strides: tuple[int, ...]
    outputs: tuple[int, ...]
    """Height and width of the transposed convolution's result, raised to whole strides."""
    channels: int


def dilated(kernel: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A kernel with zeros put between its last two axes' elements."""
    if (rows, columns) == (1, 1):
        return kernel
    *channels, height, width = kernel.shape
    wide = np.zeros((*channels, (height - 1) * rows + 1, (width - 1) * columns + 1), kernel.dtype)
    wide[..., ::rows, ::columns] = kernel
    return wide


def phases(
    kernel: np.ndarray,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    image: tuple[int, ...],
    outputs: tuple[int, ...],
) -> Phases:
    """From an IOHW kernel and the geometry of a transposed convolution without groups or dilation."""
    inputs, channels, *extents = kernel.shape
    taps = [_taps(strides[axis], padding[axis], extents[axis]) for axis in (0, 1)]
    first = [min(u for _, u, _ in axis) for axis in taps]
    reach = [max(u for _, u, _ in axis) - low + 1 for axis, low in zip(taps, first, strict=True)]
    wide = np.zeros((*strides, channels, inputs, *reach), kernel.dtype)
    for row, u, k in taps[0]:
        for column, v, j in taps[1]:
            wide[row, column, :, :, u - first[0], v - first[1]] = kernel[:, :, k, j].T
    places = [-(-out // stride) for out, stride in zip(outputs, strides, strict=True)]
    below = [n - 1 + low + r - extent for n, low, r, extent in zip(places, first, reach, image, strict=True)]
    window = Window(tuple(reach), padding=(-first[0], -first[1], below[0], below[1]))
    whole = (places[0] * strides[0], places[1] * strides[1])
    return Phases(wide.reshape(-1, inputs, *reach), window, strides, whole, channels)


def _taps(stride: int, before: int, extent: int) -> list[tuple[int, int, int]]:
    """All (phase, window row u, kernel row k) of one axis."""
    found = []
    for phase in range(stride):
        quotient, rest = divmod(phase + before, stride)
        found += [(phase, quotient - t, rest + stride * t) for t in range(-(-(extent - rest) // stride))]
    return found


def transposed(
    data: te.Tensor,
    packed: te.Tensor,
    phases: Phases,
    *,
    kind: str,
    accumulator: str,
    columns: int,
    extras: Extras = NOTHING,
) -> te.Tensor:
    """data (N, H, W, C), packed kernel of `phases` -> (N, *outputs, channels) of dtype `accumulator`."""
    acc = accumulate(data, packed, phases.window, kind=kind, accumulator=accumulator, columns=columns, extras=extras)
    high, wide = phases.strides

    def result(n: tirx.Var, y: tirx.Var, x: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        phase = tirx.floormod(y, high) * wide + tirx.floormod(x, wide)
        channel = phase * phases.channels + o
        return extras.plus_bias(acc[n, tirx.floordiv(y, high), tirx.floordiv(x, wide), channel], channel)

    shape = (int(data.shape[0]), *phases.outputs, phases.channels)
    return te.compute(shape, result, name="out", attrs={MARK: f"out.{kind}", STRIDES: f"{high}x{wide}"})
