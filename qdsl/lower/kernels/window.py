"""The geometry of a sliding window over two spatial axes, and how one axis becomes two."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """Kernel extents and how they move over the image: two numbers each, padding four (top, left, bottom, right)."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)

    def outputs(self, height: int, width: int) -> tuple[int, int]:
        """The number of places of the window over an image."""
        top, left, bottom, right = self.padding
        reach = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        return (
            (height + top + bottom - reach[0]) // self.strides[0] + 1,
            (width + left + right - reach[1]) // self.strides[1] + 1,
        )

    def inputs(self, rows: int, columns: int) -> tuple[int, int]:
        """The padded image that so many places of the window read."""
        heights = [
            (places - 1) * stride + (k - 1) * d + 1
            for places, stride, k, d in zip((rows, columns), self.strides, self.kernel, self.dilation, strict=True)
        ]
        return heights[0], heights[1]

    @property
    def is_point(self) -> bool:
        """Whether each output reads one place, so that no padding or copy is ever needed."""
        return self.kernel == (1, 1) and not any(self.padding)
