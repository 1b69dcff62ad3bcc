"""Convolution weights in the order in which the kernels read them.

    blocks of output channels, window rows, window columns, groups of input channels, lanes, depth

`lanes` output channels fill one vector register; `depth` neighbouring input channels are multiplied and added at once
(4 with vpdpbusd, else 1). Channels are padded with zeros to fill lanes and depth.
"""

from __future__ import annotations

import numpy as np


def to_oihw(weights: np.ndarray, layout: str) -> np.ndarray:
    """A kernel of any order of the letters O, I, H, W (H or W may be missing) as O, I, H, W."""
    full = weights
    letters = layout
    for missing in [letter for letter in "HW" if letter not in letters]:
        full, letters = full[..., None], letters + missing
    return full.transpose([letters.index(letter) for letter in "OIHW"])


def pack(weights: np.ndarray, lanes: int, depth: int, groups: int = 1) -> np.ndarray:
    """OIHW to (blocks, H, W, ceil(I / depth), lanes, depth); each group of output channels starts a new block."""
    outputs, inputs, height, width = weights.shape
    blocks, deep = -(-(outputs // groups) // lanes), -(-inputs // depth)
    full = np.zeros((groups, blocks * lanes, deep * depth, height, width), weights.dtype)
    full[:, : outputs // groups, :inputs] = weights.reshape(groups, outputs // groups, inputs, height, width)
    shaped = full.reshape(groups * blocks, lanes, deep, depth, height, width)
    return np.ascontiguousarray(shaped.transpose(0, 4, 5, 2, 1, 3))
