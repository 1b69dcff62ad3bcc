"""Which way of computing a convolution or product with constant weights a target has."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.lower.target import Target


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
    """The way for operands and a result of these dtypes; None when no kernel fits.

    int8 data is given to the uint8 kernel with its sign bit flipped, that is plus 128.
    """
    registers = 15 if target.float_lanes == 16 else 12
    if data == weights == out == "float32":
        return Choice("fma", target.float_lanes, 1, "float32", registers)
    if out != "int32" or data not in ("uint8", "int8", "int16") or weights not in ("int8", "uint8", "int16"):
        return None
    if target.kernels == "avx512-vnni" and data in ("uint8", "int8") and weights == "int8":
        return Choice("vnni", 16, 4, "int32", registers)
    return Choice("int", target.float_lanes, 1, "int32", registers)
