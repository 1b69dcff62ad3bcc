"""Scales and zero points that are chosen, not calibrated: plain ones, and those at the ends of what may come.

Of operands they are drawn at random (style by style: a zero point in the middle, at the least code, at the greatest,
anywhere). Of results they follow from what the float operator gives: `wide` covers it and every operand, as calibrate
has it, sometimes with room to spare; a narrow result sometimes saturates.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl.calibrate.scales import SCALE_FLOOR, next_power_of_two, scale_and_zero, weight_scale
from qdsl.match.graph import array_of, is_constant, shape_of
from qdsl.passes.sites import Site

STYLES = 4
"""Kinds of numbers, each with scales of its own."""


@dataclass
class ChosenRanges:
    """Answers what `solve` asks. One style of one scene; the same every time."""

    seed: int
    style: int
    observed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Least and greatest of values, by name; empty while operands are not drawn yet."""
    uniform: bool = False
    """The same scale for every channel, to see whether it is the channels that are mixed up."""

    def weight_scale(self, site: Site) -> NDArray[np.float64]:
        found = weight_scale(array_of(site.value), site.format.axis, site.format.scheme, "max", name="constant")
        if self.uniform:
            return np.full(found.shape, found.max(initial=SCALE_FLOOR))
        return _finished(found * (1 + self._random(site).random(found.shape)), site)

    def constant_range(self, members: Sequence[Site]) -> tuple[NDArray[np.float64], int]:
        low = min(float(array_of(m.value).min(initial=0.0)) for m in members)
        high = max(float(array_of(m.value).max(initial=0.0)) for m in members)
        scale, zero = scale_and_zero(low, high, members[0].format.scheme)
        return np.asarray(scale), zero

    def wide_scale(self, members: Sequence[Site]) -> NDArray[np.float64]:
        first, random = members[0], self._random(members[0])
        if any(_is_operand(m) for m in members):
            scale = np.asarray(2.0 ** random.integers(-20, -8))
            if first.format.axis is not None:
                channels = (shape_of(first.value) or ())[first.format.axis]
                scale = scale * np.exp2(random.integers(-2, 3, channels) * (not self.uniform))
            spread = scale if self.style == 0 or self.uniform else scale * (1 + random.random(scale.shape))
            return _finished(spread, first)
        greatest = max(self._greatest(v) for m in members for v in (m.value, *m.read))
        codes = 2.0 ** (first.format.scheme.used_bits - 1) - 1
        room = (1.0, 1.0, 3.7, 1000.0)[self.style]
        return _finished(np.asarray(max(greatest / codes * room, SCALE_FLOOR)), first)

    def activation(self, members: Sequence[Site]) -> tuple[float, int]:
        first, random = members[0], self._random(members[0])
        scheme = first.format.scheme
        if any(_is_operand(m) for m in members):
            scale = 2.0 ** random.integers(-5, 2)
            if self.style and not scheme.pow2:
                scale *= 1 + random.random()
            if scheme.symmetric:
                return scale, scheme.zero_for_symmetric
            middle = (scheme.low + scheme.high + 1) // 2
            anywhere = int(random.integers(scheme.low, scheme.high + 1))
            return scale, (middle + 3, scheme.low, scheme.high, anywhere)[self.style]
        low = min(self.observed.get(_name(m.value), (0.0, 0.0))[0] for m in members)
        high = max(self.observed.get(_name(m.value), (0.0, 0.0))[1] for m in members)
        room = (1.0, 1.3, 0.4, 0.8)[self.style]
        return scale_and_zero(low * room, high * room, scheme)

    def _greatest(self, value: relax.Expr) -> float:
        if is_constant(value):
            return float(np.max(np.abs(array_of(value)), initial=0.0))
        low, high = self.observed.get(_name(value), (0.0, 0.0))
        return max(-low, high)

    def _random(self, site: Site) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.style, zlib.crc32(str(site.symbol).encode())])


def _finished(scale: NDArray[np.float64], site: Site) -> NDArray[np.float64]:
    """A scale that the site's scheme may have."""
    return next_power_of_two(scale) if site.format.scheme.pow2 else np.asarray(scale)


def _is_operand(site: Site) -> bool:
    """Whether a site converts a value that comes from outside."""
    return site.is_edge and not is_constant(site.value)


def _name(value: Any) -> str:
    return str(value.name) if isinstance(value, relax.Var) else ""
