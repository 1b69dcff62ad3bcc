"""What a kernel may take beside data and weights: what its padding holds, and what its sums begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax, te, tirx
from tvm.ir import Expr


@dataclass(frozen=True)
class Extras:
    """Inside a tensor expression."""

    fill: te.Tensor | None = None
    """Of shape (): what the padding holds; 0 without it."""
    bias: te.Tensor | None = None
    """Of the accumulated channels: what the sums begin with; 0 without it."""

    def outside(self, dtype: str) -> Expr:
        """An element of the padding."""
        return tirx.const(0, dtype) if self.fill is None else self.fill[()]

    def plus_bias(self, total: Expr, channel: Expr) -> Expr:
        """A sum with what it lacks; `bias.begin_with_bias` looks for exactly this addition."""
        return total if self.bias is None else total + self.bias[channel]


@dataclass(frozen=True)
class ExtraOperands:
    """In a module: constants. Tensors, not numbers in the code, so that kernels differ by shape only."""

    zero: int
    """The zero point that the padding holds."""
    bias: np.ndarray | None
    """Of the accumulated channels."""

    def constants(self, dtype: str) -> list[relax.Expr]:
        """The operands, for data of `dtype`."""
        fill = [relax.const(self.zero, dtype)] if self.zero else []
        return fill + ([relax.const(self.bias)] if self.bias is not None else [])

    def extras(self, tensors: Sequence[te.Tensor]) -> Extras:
        """The same as tensors."""
        given = list(tensors)
        fill = given.pop(0) if self.zero else None
        return Extras(fill, given.pop(0) if self.bias is not None else None)


def padded_bias(bias: np.ndarray, lanes: int, groups: int = 1) -> np.ndarray:
    """A bias (channels,) with zeros put behind each group of channels, to fill whole registers."""
    per_group = bias.size // groups
    wide = np.zeros((groups, -(-per_group // lanes) * lanes), bias.dtype)
    wide[:, :per_group] = bias.reshape(groups, per_group)
    return wide.reshape(-1)
