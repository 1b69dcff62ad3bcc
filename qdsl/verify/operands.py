"""The operands that a scene is run on: codes at random, every code, and the corners of the formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl.match.graph import dtype_of, shape_of
from qdsl.passes.annotate import bounds
from qdsl.passes.sites import Site
from qdsl.passes.solve import Numbers
from qdsl.realize.host import along_axis
from qdsl.verify.forms import Shape

Array = NDArray[Any]
KINDS = ("random", "every code", "zero", "corner 0", "corner 1", "corner 2", "corner 3", "random large")
"""Samples of each style. Corner k has the i-th operand at its greatest code where bit i of k is set."""
ACCUMULATED = (2**12, 2**22, 2**29)
"""Magnitudes of int32 codes: small, what 24 bits hold, what a bias may take up."""


@dataclass(frozen=True)
class Operand:
    """One parameter of a scene's graph: the codes that it stands for, or floats, or indices."""

    name: str
    shape: Shape
    dtype: str
    bound: int | None = None
    """Integers below this; None for a float32 parameter."""
    scale: NDArray[np.float64] | None = None
    """None for one that the rule reads in float. Shaped to broadcast."""
    zero: int = 0
    low: int = 0
    high: int = 0
    scheme: str = ""

    def real(self, codes: NDArray[np.int64]) -> Array:
        """The values that codes stand for, as the graph takes them."""
        if self.scale is None:
            return codes.astype(self.dtype)
        return np.asarray((codes - self.zero) * self.scale, np.float32)

    def codes(self, real: Array) -> NDArray[np.int64]:
        """The codes of values."""
        if self.scale is None:
            return np.asarray(real).astype(np.int64)
        with np.errstate(invalid="ignore"):
            return np.clip(np.rint(real / self.scale) + self.zero, self.low, self.high).astype(np.int64)

    @property
    def is_coded(self) -> bool:
        return self.scale is not None

    def describe(self) -> str:
        """The format in a few words."""
        if self.scale is None:
            return "float" if self.bound is None else self.dtype
        scales = np.unique(self.scale)
        text = f"{scales[0]:.6g}" if scales.size == 1 else f"{scales[0]:.4g} .. {scales[-1]:.4g} by channel"
        return f"{self.scheme} scale {text}" + (f" zero {self.zero}" if self.zero else "")


def operands_of(
    parameters: Sequence[relax.Var], indices: Mapping[str, int], sites: Sequence[Site], numbers: Numbers
) -> list[Operand]:
    """The parameters with the numbers of the format that each is read in."""
    converted = {s.value: s for s in reversed(sites) if s.is_edge and isinstance(s.value, relax.Var)}
    found = []
    for parameter in parameters:
        name, shape, dtype = str(parameter.name), shape_of(parameter) or (), dtype_of(parameter) or "float32"
        site = converted.get(parameter)
        if site is None:
            bound = indices.get(name) if dtype != "float32" else None
            found.append(Operand(name, shape, dtype, bound))
            continue
        scale, zero = numbers.of(site)
        low, high = bounds(site.format)
        if site.format.dtype == "int32":
            most = 2 ** (site.format.scheme.used_bits - 1) - 1
            low, high = max(low, -most), min(high, most)
        laid = along_axis(scale, site.format.axis if scale.ndim else None, len(shape))
        found.append(Operand(name, shape, dtype, None, laid, zero, low, high, site.format.scheme.name))
    return found


def samples(operands: Sequence[Operand], random: np.random.Generator) -> Iterator[dict[str, Array]]:
    """The inputs of one style, by name."""
    for kind in KINDS:
        yield {o.name: _sample(o, position, kind, random) for position, o in enumerate(operands)}


def _sample(operand: Operand, position: int, kind: str, random: np.random.Generator) -> Array:
    if operand.bound is not None:
        return random.integers(0, operand.bound, operand.shape).astype(operand.dtype)
    if not operand.is_coded:
        return _float(operand.shape, position, kind, random)
    codes = _codes(operand, position, kind, random)
    return operand.real(np.broadcast_to(codes, operand.shape))


def _codes(operand: Operand, position: int, kind: str, random: np.random.Generator) -> NDArray[np.int64]:
    wide = operand.high - operand.low > 2**16
    low, high = operand.low, operand.high
    if kind == "zero":
        return np.asarray(operand.zero)
    if wide:
        reach = ACCUMULATED[0] if kind == "random" else ACCUMULATED[1] if kind == "random large" else ACCUMULATED[2]
        low, high = max(low, -reach), min(high, reach)
    if kind == "every code":
        number = np.arange(int(np.prod(operand.shape)), dtype=np.int64).reshape(operand.shape)
        return number - number.size // 2 if wide else low + (number // (high - low + 1) ** position) % (high - low + 1)
    if kind.startswith("corner"):
        return np.asarray(high if (int(kind[-1]) >> position) & 1 else low)
    return random.integers(low, high + 1, operand.shape)


def _float(shape: Shape, position: int, kind: str, random: np.random.Generator) -> Array:
    if kind == "zero":
        return np.zeros(shape, np.float32)
    if kind.startswith("corner"):
        return np.full(shape, 4.0 if (int(kind[-1]) >> position) & 1 else -4.0, np.float32)
    return np.asarray(random.standard_normal(shape) * (4 if kind == "random large" else 1), np.float32)
