"""Which kernel computes a convolution with constant weights on a target, and with what tile."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tvm import relax

from qdsl.lower.kernels.groups import merge_groups
from qdsl.lower.kernels.tile import Tile, choose_tile
from qdsl.lower.kernels.window import Window
from qdsl.lower.target import Target


_COPIED_PER_CYCLE = 16
"""Bytes that a copy of the data moves per cycle."""


@dataclass(frozen=True)
class Choice:
    """How to compute: the schedule's name for it, lanes and depth of the packed weights, and the accumulator's type."""

    kind: str
    lanes: int
    depth: int
    accumulator: str
    registers: int
    """How many accumulators there may be at once."""

    @property
    def bytes_per_value(self) -> int:
        """The size of an element of the data."""
        return 4 if self.kind == "fma" else 1


def choose(target: Target, data: str, weights: str, out: str) -> Choice | None:
    """The way for operands and a result of these dtypes; None when no kernel fits."""
    registers = 15 if target.float_lanes == 16 else 12
    if data == weights == out == "float32":
        return Choice("fma", target.float_lanes, 1, "float32", registers)
    if out != "int32" or data not in ("uint8", "int8", "int16") or weights not in ("int8", "uint8", "int16"):
        return None
    if target.kernels == "avx512-vnni" and (data, weights) == ("uint8", "int8"):
        return Choice("vnni", 16, 4, "int32", registers)
    return Choice("int", target.float_lanes, 1, "int32", registers)


@dataclass(frozen=True)
class Convolution:
    """A convolution call over channels-last data, read into plain numbers. One-dimensional ones have height 1."""

    window: Window
    groups: int
    kernel: np.ndarray
    """OIHW."""
    data_shape: tuple[int, int, int, int]
    out_dtype: str

    @property
    def channels(self) -> int:
        """Output channels."""
        return int(self.kernel.shape[0])

    @property
    def is_depthwise(self) -> bool:
        """Whether each input channel is convolved by itself."""
        return self.groups == self.data_shape[3] and self.kernel.shape[1] == 1 and self.groups > 1

    def merged(self, choice: Choice) -> Convolution:
        """The same with groups that fill registers."""
        kernel, groups = merge_groups(self.kernel, self.groups, choice.lanes, choice.depth)
        return replace(self, kernel=kernel, groups=groups)

    @property
    def is_product(self) -> bool:
        """Whether it is a matrix product over all places: 1x1, no stride, no groups."""
        return self.window.is_point and self.window.strides == (1, 1) and self.groups == 1

    def tile(self, choice: Choice) -> Tile:
        """The tile for this convolution; of the flattened places, where it is a product."""
        rows, columns = self.window.outputs(*self.data_shape[1:3])
        rows *= self.data_shape[0]
        if self.is_product:
            rows, columns = 1, rows * columns
        per_group = -(-(self.channels // self.groups) // choice.lanes)
        depth = -(-self.kernel.shape[1] // choice.depth)
        steps = int(np.prod(self.window.kernel)) * depth
        copies = not self.window.is_point or self.kernel.shape[1] % choice.depth != 0
        copying = 0.0 if copies else float(np.prod(self.data_shape)) * choice.bytes_per_value / _COPIED_PER_CYCLE
        return choose_tile(columns, per_group, steps, choice.registers, copying, rows)


def result_dtype(call: relax.Call) -> str:
    """The dtype of a call's tensor."""
    return str(call.ty.dtype.dtype)
