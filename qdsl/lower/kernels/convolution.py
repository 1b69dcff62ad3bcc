"""A convolution as plain numbers, and the tile it is computed with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qdsl.lower.kernels.choose import Choice
from qdsl.lower.kernels.groups import merge_groups
from qdsl.lower.kernels.tile import Tile, choose_tile
from qdsl.lower.kernels.window import Window

_COPIED_PER_CYCLE = 16
"""Bytes that a copy of the data moves per cycle."""


@dataclass(frozen=True)
class Convolution:
    """A convolution over channels-last data. One-dimensional ones have height 1; products are 1x1 over their rows."""

    window: Window
    groups: int
    kernel: np.ndarray
    """OIHW."""
    data_shape: tuple[int, ...]
    """NHWC."""
    out_dtype: str

    @property
    def channels(self) -> int:
        """Output channels."""
        return int(self.kernel.shape[0])

    @property
    def is_depthwise(self) -> bool:
        """Whether each input channel is convolved by itself."""
        return self.groups == self.data_shape[3] and self.kernel.shape[1] == 1 and self.groups > 1

    @property
    def is_product(self) -> bool:
        """Whether it is a matrix product over all places: 1x1, no stride, no groups."""
        return self.window.is_point and self.window.strides == (1, 1) and self.groups == 1

    def merged(self, choice: Choice) -> Convolution:
        """The same with groups that fill registers."""
        kernel, groups = merge_groups(self.kernel, self.groups, choice.lanes, choice.depth)
        return replace(self, kernel=kernel, groups=groups)

    def tile(self, choice: Choice) -> Tile:
        """The tile for this convolution; of the flattened places, where it is a product."""
        rows, columns = self.window.outputs(self.data_shape[1], self.data_shape[2])
        rows *= self.data_shape[0]
        if self.is_product:
            rows, columns = 1, rows * columns
        per_group = -(-(self.channels // self.groups) // choice.lanes)
        depth = -(-self.kernel.shape[1] // choice.depth)
        steps = int(np.prod(self.window.kernel)) * depth
        copies = not self.window.is_point or self.kernel.shape[1] % choice.depth != 0
        copying = 0.0 if copies else float(np.prod(self.data_shape)) * choice.bytes_per_value / _COPIED_PER_CYCLE
        return choose_tile(columns, per_group, steps, choice.registers, copying, rows)

    def correction(self, zero: int) -> np.ndarray:
        """What to add to each channel when the data, and the padding, still hold the zero point: int32 (channels,)."""
        return (-zero * self.kernel.sum(axis=(1, 2, 3), dtype=np.int64)).astype(np.int32)
