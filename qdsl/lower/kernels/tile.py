"""How large a tile of the output one pass over the window accumulates in registers.

A tile is `columns` places by `blocks` registers of output channels. One step of the innermost loop multiplies
columns * blocks times, loads `blocks` registers of weights and broadcasts `columns` values. The model of its time, in
cycles, is the largest of what the multipliers, the load ports and the latency of a sum take.
"""

from __future__ import annotations

from dataclasses import dataclass

_WEIGHT_LOAD = 2.0
"""Cycles to load a register of weights, mostly from the second-level cache."""
_BROADCAST = 0.5
_LATENCY = 5.0
_NOT_HIDDEN = 0.1
"""The part of the loads that shows even where the multipliers are the bottleneck."""
_TILE_OVERHEAD = 12.0
"""Cycles between tiles: clearing sums and the start of the epilogue, per step of the window it is spread over."""


@dataclass(frozen=True)
class Tile:
    """A tile; `of` reads what `str` writes, which is how a kernel's mark carries it to the schedule."""

    columns: int
    blocks: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.blocks}"

    @staticmethod
    def of(text: str) -> Tile:
        """The tile that `text` names, e.g. '7x2'."""
        columns, blocks = text.split("x")
        return Tile(int(columns), int(blocks))


def choose_tile(columns: int, blocks: int, steps: int, accumulators: int, widening: float, rows: int = 1) -> Tile:
    """The tile of least modelled time for an image row of `columns` and `blocks` registers of channels.

    steps         of the innermost loop per tile (window places times groups of input channels)
    accumulators  registers that may hold sums
    widening      cycles that it takes to make room for columns beyond the image, which are computed and dropped
    rows          how many image rows there are
    """
    best: tuple[float, Tile] | None = None
    for wide in range(1, min(columns, accumulators) + 1):
        for deep in range(1, min(blocks, accumulators // wide) + 1):
            if blocks % deep:
                continue
            loads = deep * _WEIGHT_LOAD + wide * _BROADCAST
            step = max(float(wide * deep), loads, _LATENCY) + loads * _NOT_HIDDEN
            count = rows * -(-columns // wide) * (blocks // deep)
            time = count * (step * steps + _TILE_OVERHEAD) + (widening if columns % wide else 0.0)
            if best is None or time < best[0] * 0.999:
                best = (time, Tile(wide, deep))
    assert best is not None
    return best[1]


def vectorizable(number: int, lanes: int) -> int:
    """The largest power of two up to `lanes` that divides `number`."""
    power = lanes
    while number % power:
        power //= 2
    return power
