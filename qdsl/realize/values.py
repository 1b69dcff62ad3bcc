"""What an expression of a rule evaluates to.

Host    numbers and constants, computed with numpy in float64 while compiling
Vector  `gain[O]`: a vector to be laid along a layout letter of whatever it is combined with
Tensor  a value of the module, with the format it carries, if any
Several a list of tensors: `[parts...]`, or the results of split
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl.match.graph import dtype_of, shape_of


@dataclass(frozen=True)
class Numbers:
    """A format with its numbers: real = scale * (code - zero)."""

    scale: NDArray[np.float64]
    """() or (channels,)."""
    zero: int
    axis: int | None
    dtype: str
    low: int
    high: int
    scheme: str = ""

    def agrees(self, other: Numbers) -> bool:
        """Whether codes of one are codes of the other, unchanged."""
        return (
            self.dtype == other.dtype
            and self.zero == other.zero
            and (self.axis == other.axis or self.scale.size == other.scale.size == 1)
            and np.array_equal(self.scale, other.scale)
        )

    def at_zero(self) -> Numbers:
        return replace(self, zero=0)


@dataclass(frozen=True)
class Host:
    value: Any
    """A numpy array, a number, a string or a list."""
    layout: str | None = None
    source: relax.Expr | None = None
    """The constant it was read from, while it is still unchanged."""

    @property
    def array(self) -> NDArray[Any]:
        return np.asarray(self.value)


@dataclass(frozen=True)
class Vector:
    array: NDArray[np.float64]
    letter: str


@dataclass(frozen=True)
class Tensor:
    expr: relax.Expr
    format: Numbers | None = None
    layout: str | None = None

    @property
    def dtype(self) -> str:
        return dtype_of(self.expr) or ""

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.expr) or ()


@dataclass(frozen=True)
class Several:
    items: tuple[Tensor, ...]


Value = Host | Vector | Tensor | Several
