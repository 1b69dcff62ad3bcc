"""Grouped convolutions whose groups do not fill vector registers: neighbours merged into wider groups.

m groups become one whose kernel is block-diagonal: m times the products, but whole registers of them. The m of least
products, counted in whole registers, wins; a merged group fills its registers, or is the only one.
"""

from __future__ import annotations

import numpy as np


def merge_groups(kernel: np.ndarray, groups: int, lanes: int, depth: int) -> tuple[np.ndarray, int]:
    """An OIHW kernel and its number of groups -> an equivalent kernel and number that suit `lanes` and `depth`."""
    outputs, inputs = kernel.shape[0] // groups, kernel.shape[1]

    def cost(merged: int) -> int:
        return groups // merged * -(-merged * outputs // lanes) * lanes * -(-merged * inputs // depth) * depth

    fitting = [m for m in range(1, groups + 1) if groups % m == 0 and (m == groups or m * outputs % lanes == 0)]
    best = min(fitting, key=lambda m: (cost(m), m))
    return block_diagonal(kernel, groups, best), groups // best


def block_diagonal(kernel: np.ndarray, groups: int, merged: int) -> np.ndarray:
    """The kernel for `groups` / `merged` groups: OIHW with `merged` times the inputs, zero outside its own group."""
    if merged == 1:
        return kernel
    channels, inputs, height, width = kernel.shape
    outputs = channels // groups
    wide = np.zeros((channels, merged * inputs, height, width), kernel.dtype)
    for channel in range(channels):
        start = channel // outputs % merged * inputs
        wide[channel, start : start + inputs] = kernel[channel]
    return wide
