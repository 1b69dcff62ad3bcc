"""Convolutions and pools in numpy, any number of spatial axes, in the dtype that comes in (float64 or int64)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Attributes = Mapping[str, Any]


def reordered(array: Array, layout: str, wanted: str) -> Array:
    """A tensor in another order of its letters."""
    return np.transpose(array, [layout.index(letter) for letter in wanted])


def canonical(layout: str, first: str) -> str:
    """`NCHW` for NHWC, `OIHW` for HWIO: the two named letters, then the spatial ones in their order."""
    return first + "".join(letter for letter in layout if letter not in first)


def padded(array: Array, padding: Sequence[int], value: float = 0) -> Array:
    """Spatial axes of an (N, C, ...) tensor with borders: all starts, then all ends, as TVM writes them."""
    rank = array.ndim - 2
    pairs = [(int(padding[i]), int(padding[i + rank])) for i in range(rank)]
    return np.pad(array, [(0, 0), (0, 0), *pairs], constant_values=value)


def places(kernel: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return product(*map(range, kernel))


def window(
    array: Array, at: Sequence[int], counts: Sequence[int], strides: Sequence[int], reach: Sequence[int]
) -> Array:
    """The elements that one kernel position meets, for all output positions."""
    slices = [slice(a * d, a * d + (n - 1) * s + 1, s) for a, n, s, d in zip(at, counts, strides, reach, strict=True)]
    return array[(slice(None), slice(None), *slices)]


def conv(x: Array, w: Array, attrs: Attributes) -> Array:
    """nn.conv1d, conv2d, conv3d."""
    layout, kernel_layout = attrs["data_layout"], attrs["kernel_layout"]
    data = padded(reordered(x, layout, canonical(layout, "NC")), attrs["padding"])
    weight = reordered(w, kernel_layout, canonical(kernel_layout, "OI"))
    out = _conv(data, weight, attrs["strides"], attrs["dilation"], int(attrs["groups"]))
    target = attrs["out_layout"] or layout
    return reordered(out, canonical(target, "NC"), target)


def _conv(x: Array, w: Array, strides: Sequence[int], dilation: Sequence[int], groups: int) -> Array:
    kernel = w.shape[2:]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, strides, strict=True)]
    grouped = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    out = np.zeros((x.shape[0], groups, w.shape[0] // groups, *counts), np.result_type(x, w))
    for at in places(kernel):
        seen = window(x, at, counts, strides, dilation)
        seen = seen.reshape(x.shape[0], groups, -1, *counts)
        out += np.einsum("ngi...,goi->ngo...", seen, grouped[(slice(None), slice(None), slice(None), *at)])
    return out.reshape(x.shape[0], w.shape[0], *counts)


def conv_transpose(x: Array, w: Array, attrs: Attributes) -> Array:
    """nn.conv1d_transpose, conv2d_transpose: zeros between the inputs, then a convolution with the kernel turned."""
    layout, kernel_layout = attrs["data_layout"], attrs["kernel_layout"]
    data = reordered(x, layout, canonical(layout, "NC"))
    weight = reordered(w, kernel_layout, canonical(kernel_layout, "IO"))
    groups, rank = int(attrs["groups"]), data.ndim - 2
    inputs, outputs, kernel = weight.shape[0], weight.shape[1], weight.shape[2:]
    spread = np.zeros(
        (*data.shape[:2], *((n - 1) * s + 1 for n, s in zip(data.shape[2:], attrs["strides"], strict=True))), data.dtype
    )
    spread[(slice(None), slice(None), *(slice(None, None, s) for s in attrs["strides"]))] = data
    reach = [(k - 1) * d for k, d in zip(kernel, attrs["dilation"], strict=True)]
    padding = [int(p) for p in attrs["padding"]]
    more = [int(p) for p in attrs["output_padding"]]
    starts = [reach[i] - padding[i] for i in range(rank)]
    ends = [reach[i] - padding[i + rank] + more[i] for i in range(rank)]
    turned = np.flip(weight, axis=tuple(range(2, weight.ndim)))
    turned = turned.reshape(groups, inputs // groups, outputs, *kernel).swapaxes(1, 2)
    turned = turned.reshape(groups * outputs, inputs // groups, *kernel)
    out = _conv(padded(spread, [*starts, *ends]), turned, [1] * rank, attrs["dilation"], groups)
    return reordered(out, canonical(layout, "NC"), layout)


def pool(x: Array, attrs: Attributes, shape: Sequence[int], kind: str) -> Array:
    """nn.max_pool*, nn.avg_pool*. `shape` is the result's, which settles ceil_mode."""
    layout = attrs["layout"]
    order = canonical(layout, "NC")
    data = reordered(x, layout, order)
    counts = [shape[layout.index(letter)] for letter in order[2:]]
    kernel, strides, dilation = attrs["pool_size"], attrs["strides"], attrs["dilation"]
    rank = len(counts)
    padding = [int(p) for p in attrs["padding"]]
    ends = [
        max(
            padding[i + rank],
            (counts[i] - 1) * strides[i] + (kernel[i] - 1) * dilation[i] + 1 - data.shape[2 + i] - padding[i],
        )
        for i in range(rank)
    ]
    least = np.iinfo(data.dtype).min if data.dtype.kind in "iu" else -np.inf
    room = padded(data, [*padding[:rank], *ends], least if kind == "max" else 0)
    inside = padded(np.ones_like(data, np.int64), padding)
    inside = padded(
        inside if not attrs["count_include_pad"] else np.ones_like(inside),
        [0] * rank + [e - p for e, p in zip(ends, padding[rank:], strict=True)],
    )
    seen = np.stack([window(room, at, counts, strides, dilation) for at in places(kernel)])
    if kind == "max":
        return reordered(seen.max(axis=0), order, layout)
    number = np.stack([window(inside, at, counts, strides, dilation) for at in places(kernel)]).sum(axis=0)
    return reordered(seen.sum(axis=0) / number, order, layout)


def adaptive_pool(x: Array, attrs: Attributes, shape: Sequence[int]) -> Array:
    """nn.adaptive_avg_pool1d, 2d: bin i of n covers floor(i * size / n) to ceil((i + 1) * size / n)."""
    layout = attrs["layout"]
    order = canonical(layout, "NC")
    data = reordered(x, layout, order)
    for axis, letter in enumerate(order[2:], start=2):
        count, size = shape[layout.index(letter)], data.shape[axis]
        bins = [np.arange(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        data = np.stack([np.take(data, b, axis).mean(axis=axis) for b in bins], axis=axis)
    return reordered(data, order, layout)
