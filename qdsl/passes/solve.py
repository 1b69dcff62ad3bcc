"""From ranges to numbers: scales and zero points for every symbol of an annotated module.

    activation   the range of all values that share the scale, by the chosen method
    weight       per channel, the largest magnitude over the greatest code
    wide         max over the result and every operand rescaled onto it, over 2^(bits - 1) - 1
    derived      the product that the rule wrote

Bias range: a constant b read on a derived scale S is a lower bound on S, because |b| / S has to stay within the bits of
its own scheme, and below a quarter of the accumulator's range, 2^29 steps, for everything that rides on the
accumulator. The weight's scale, the free factor of S, is raised per channel until it does; of several readers of one
weight the largest demand wins. A scale of a pow2 scheme is raised by powers of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl.calibrate.scales import next_power_of_two
from qdsl.formats.scale import Scale
from qdsl.match.graph import array_of, is_constant, shape_of
from qdsl.passes.headroom import ACCUMULATOR_BITS
from qdsl.passes.ranges import Ranges
from qdsl.passes.sites import Site, is_weight

BIAS_SHARE = 0.25
"""Of an accumulator's range, for a constant that is added on it."""


@dataclass
class Numbers:
    """Scales and zero points by symbol."""

    scale: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    zero: dict[str, int] = field(default_factory=dict)
    raised: dict[str, float] = field(default_factory=dict)
    """Weights whose scale a bias raised, with the largest factor."""

    def of(self, site: Site) -> tuple[NDArray[np.float64], int]:
        """The scale and zero point of a site, the scale with one number a channel where it lies along an axis."""
        scale = self.scale_on(site.format.scale, site.format.axis, site.value)
        zero = self.zero[site.format.zero] if isinstance(site.format.zero, str) else site.format.zero
        return scale, zero

    def scale_on(self, scale: Scale, axis: int | None, value: relax.Expr) -> NDArray[np.float64]:
        """A scale in numbers, tiled where a grouped kernel has one number for each channel of a group."""
        numbers = scale.evaluate(self.scale)
        shape = shape_of(value) or ()
        if numbers.ndim == 0 or axis is None:
            return numbers
        channels = shape[axis]
        return np.tile(numbers, channels // numbers.size) if channels % numbers.size == 0 else numbers


def solve(sites: Sequence[Site], ranges: Ranges, accumulator_bits: int = ACCUMULATOR_BITS) -> Numbers:
    """The numbers of every symbol, for accumulators of so many bits.

    Raises DataError for a value whose range is not finite, by name.
    """
    numbers = Numbers()
    for symbol, members in _by_symbol(sites).items():
        first = members[0]
        if all(is_weight(m) for m in members):
            if isinstance(first.format.zero, str):
                numbers.scale[symbol], numbers.zero[first.format.zero] = ranges.constant_range(members)
            else:
                numbers.scale[symbol] = ranges.weight_scale(first)
        elif first.format.scheme.is_accumulator:
            numbers.scale[symbol] = ranges.wide_scale(members)
        else:
            scale, zero = ranges.activation(members)
            numbers.scale[symbol], numbers.zero[symbol] = np.asarray(scale, np.float64), zero
    _make_room_for_biases(sites, numbers, BIAS_SHARE * 2.0 ** (accumulator_bits - 1))
    return numbers


def _by_symbol(sites: Sequence[Site]) -> Mapping[str, list[Site]]:
    found: dict[str, list[Site]] = {}
    for site in sites:
        if site.symbol is not None:
            found.setdefault(site.symbol, []).append(site)
    return found


def _make_room_for_biases(sites: Sequence[Site], numbers: Numbers, most: float) -> None:
    weights = {s.symbol for s in sites if is_weight(s) and s.symbol is not None}
    wides = {s.symbol for s in sites if s.symbol is not None and s.format.scheme.is_accumulator}
    powers = {s.symbol for s in sites if s.format.scheme.pow2}
    first = {symbol: members[0].format.scheme.name for symbol, members in _by_symbol(sites).items()}
    demands: dict[str, NDArray[np.float64]] = {}
    for site in sites:
        if not _rides_on_another(site, first):
            continue
        symbols = site.format.scale.symbols
        free = next((s for known in (weights, wides, symbols) for s in symbols if s in known), None)
        if free is None:
            continue
        room = min(most, float(site.format.scheme.high))
        demand = _demand(site, numbers, numbers.scale[free].size, room)
        demands[free] = np.maximum(demands.get(free, np.float64(1.0)), demand)
    for symbol, factor in demands.items():
        if symbol in powers:
            factor = next_power_of_two(factor)
        if np.any(factor > 1):
            numbers.scale[symbol] = numbers.scale[symbol] * factor.reshape(numbers.scale[symbol].shape)
            numbers.raised[symbol] = float(factor.max())


def _rides_on_another(site: Site, first: Mapping[str, str]) -> bool:
    """Whether a site is a constant on a scale that follows from other values; `first` has the scheme of each symbol."""
    if not (site.is_edge and is_constant(site.value)):
        return False
    scheme = site.format.scheme
    return scheme.is_accumulator or site.symbol is None or first[site.symbol] != scheme.name


def _demand(site: Site, numbers: Numbers, channels: int, most: float) -> NDArray[np.float64]:
    """By what factor each channel's scale is too small for a constant: max |b| / (S * most), at least 1."""
    bias = np.abs(np.asarray(array_of(site.value), np.float64))
    scale = numbers.scale_on(site.format.scale, site.format.axis, site.value)
    axis = site.format.axis
    if axis is None or scale.ndim == 0:
        largest = np.asarray(bias.max(initial=0.0) / scale).reshape(-1)
    else:
        largest = np.moveaxis(bias, axis, 0).reshape(bias.shape[axis], -1).max(axis=1, initial=0.0) / scale
    steps = np.maximum(largest / most, 1.0)
    if channels == 1 or steps.size == 1:
        return np.asarray(steps.max())
    return steps.reshape(-1, channels).max(axis=0) if steps.size % channels == 0 else np.asarray(steps.max())
