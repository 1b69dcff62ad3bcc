"""Scales as monomials: a coefficient times powers of symbols.

Every scale of the rule language is a product of free scales and constants (x.scale * w.scale, x.scale / count(x, y),
x.scale * c), so a scale is

    coefficient * s1^p1 * s2^p2 * ...

and two scales agree exactly when their powers and coefficients do. The checker uses symbols only; annotate adds known
numbers to the coefficient; calibrate substitutes arrays for symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scale:
    """A positive scale, `coefficient * prod(symbol ** power)`."""

    coefficient: float = 1.0
    powers: tuple[tuple[str, int], ...] = ()
    """(symbol, nonzero power), sorted by symbol."""

    @staticmethod
    def of(symbol: str) -> Scale:
        """The scale that is one free symbol."""
        return Scale(1.0, ((symbol, 1),))

    @staticmethod
    def number(value: float) -> Scale:
        """A known scale."""
        return Scale(float(value), ())

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(s for s, _ in self.powers)

    def _combine(self, other: Scale, sign: int) -> tuple[tuple[str, int], ...]:
        powers = dict(self.powers)
        for symbol, power in other.powers:
            powers[symbol] = powers.get(symbol, 0) + sign * power
        return tuple(sorted((s, p) for s, p in powers.items() if p))

    def __mul__(self, other: Scale) -> Scale:
        return Scale(self.coefficient * other.coefficient, self._combine(other, 1))

    def __truediv__(self, other: Scale) -> Scale:
        return Scale(self.coefficient / other.coefficient, self._combine(other, -1))

    def agrees(self, other: Scale) -> bool:
        """Whether both are the same scale whatever the symbols' values (coefficients within float32 rounding)."""
        return self.powers == other.powers and bool(np.isclose(self.coefficient, other.coefficient, rtol=1e-6, atol=0))

    @property
    def is_power_of_two(self) -> bool:
        """Whether it is one if all its symbols are."""
        return float(np.frexp(self.coefficient)[0]) == 0.5

    def rename(self, names: Mapping[str, str]) -> Scale:
        """The same monomial in other symbols; symbols not in `names` stay."""
        result = Scale(self.coefficient)
        for symbol, power in self.powers:
            factor = Scale(1.0, ((names.get(symbol, symbol), power),))
            result = result * factor
        return result

    def evaluate(self, values: Mapping[str, NDArray[np.float64] | float]) -> NDArray[np.float64]:
        """The numbers, float64, shape () or (channels,): symbols from `values`; KeyError for one that is missing."""
        result = np.float64(self.coefficient) * np.ones((), np.float64)
        for symbol, power in self.powers:
            result = result * np.asarray(values[symbol], np.float64) ** power
        return np.asarray(result)

    def __str__(self) -> str:
        up = [s if p == 1 else f"{s}^{p}" for s, p in self.powers if p > 0]
        down = [s if p == -1 else f"{s}^{-p}" for s, p in self.powers if p < 0]
        if self.coefficient != 1.0 or not up:
            up.insert(0, f"{self.coefficient!r}")
        return " / ".join([" * ".join(up), *down])

    @staticmethod
    def parse(text: str) -> Scale:
        """The scale that `str` wrote."""
        over, *under = text.split(" / ")
        result = Scale()
        for term in over.split(" * "):
            result = result * _factor(term)
        for term in under:
            result = result / _factor(term)
        return result


def _factor(term: str) -> Scale:
    try:
        return Scale.number(float(term))
    except ValueError:
        symbol, _, power = term.partition("^")
        return Scale(1.0, ((symbol, int(power or 1)),))
