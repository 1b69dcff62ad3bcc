"""The types of expressions in a `realize` clause.

An integer tensor stands for real numbers by

    real = scale * (code - zero)

so its type has a dtype, a scale (a monomial of symbols), a zero point (0 where it has been removed, else a symbol or a
number) and the layout letter along which the scale varies. `unit` is the part of the type that says *which* real
number: the monomial of captures that the codes stand for, where it is one (x * w for a convolution), see `units`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdsl.formats.format import STORAGE_BITS
from qdsl.formats.scale import Scale


@dataclass(frozen=True)
class Quantity:
    """Integers on a scale."""

    dtype: str
    """A dtype, or a symbol such as `x.dtype`: whatever x carries."""
    scale: Scale
    zero: int | str = 0
    """0 where no zero point is in the codes; else the symbol `x.zero` or a known number."""
    axis: str | None = None
    """The layout letter along which the scale varies, `parts...` along the parts of a concat, or None."""
    codes: tuple[int, int] | None = None
    """The least and the greatest code, or None where they are not known."""
    unit: Scale | None = None
    """The real value as a monomial of captures, or None where it is not one."""

    @property
    def storage(self) -> int | None:
        """Bits of the dtype, or None where only calibration knows the dtype."""
        return STORAGE_BITS.get(self.dtype)

    @property
    def centered(self) -> bool:
        """Whether no zero point is in the codes."""
        return self.zero == 0

    def same_scale(self, other: Quantity) -> bool:
        """Whether a code means the same distance from zero in both."""
        return self.scale.agrees(other.scale)


@dataclass(frozen=True)
class Raw:
    """Integers without a scale: made by astype from floats, or by an operator that keeps no scale."""

    dtype: str | None
    origin: str | None = None
    """The operator without a typing rule that made them, or None."""
    sources: tuple[Quantity, ...] = ()
    """What that operator read."""


@dataclass(frozen=True)
class Real:
    """A float32 tensor."""


@dataclass(frozen=True)
class Number:
    """A number that is no code: a literal, an attribute, a bound, a count."""

    value: float | None = None
    """None where it is known only in the model."""


@dataclass(frozen=True)
class Code:
    """A number in the format of a quantity: `x.zero`, `level(6, x)`."""

    of: Quantity


@dataclass(frozen=True)
class Truth:
    """A tensor of booleans."""


@dataclass(frozen=True)
class Meta:
    """A string, a shape, a dtype, an operator's name: nothing that is computed with."""


@dataclass(frozen=True)
class Many:
    """A spread: any number of tensors of one type."""

    element: Type


@dataclass(frozen=True)
class Several:
    """A list, or the results of an operator that has more than one."""

    items: tuple[Type, ...]
    operator: str | None = None
    """The operator whose results these are, or None for a list."""


@dataclass(frozen=True)
class Unknown:
    """Nothing can be said, mostly because something has been said already."""


Type = Quantity | Raw | Real | Number | Code | Truth | Meta | Many | Several | Unknown

UNKNOWN = Unknown()
REAL = Real()


def scale_text(scale: Scale, order: Sequence[str] = ()) -> str:
    """A scale as messages show it, its symbols in the order of the names given: `x.scale * w.scale / count(x, y)`."""
    rank = {name: place for place, name in enumerate(order)}
    powers = sorted(scale.powers, key=lambda p: rank.get(p[0].split(".")[0], len(rank)))
    up = [s if p == 1 else f"{s}^{p}" for s, p in powers if p > 0]
    down = [s if p == -1 else f"{s}^{-p}" for s, p in powers if p < 0]
    if scale.coefficient != 1.0 or not up:
        up.append(f"{scale.coefficient:g}")
    return " / ".join([" * ".join(up), *down])


def describe(value: Type, order: Sequence[str] = ()) -> str:
    """A type in words, as messages and hints show it: `int32 @ x.scale * w.scale`, `uint8 @ x.scale - x.zero`."""
    if isinstance(value, Quantity):
        dtype = value.dtype if value.storage else "an integer"
        along = f"[{value.axis}]" if value.axis else ""
        zero = "" if value.centered else f" - {value.zero}"
        return f"{dtype}{along} @ {scale_text(value.scale, order)}{zero}"
    if isinstance(value, Raw):
        return f"{value.dtype or 'an integer'} without a scale"
    if isinstance(value, Real):
        return "float32"
    if isinstance(value, Number):
        return "a number" if value.value is None else f"the number {value.value:g}"
    if isinstance(value, Code):
        return f"a code @ {scale_text(value.of.scale, order)}"
    if isinstance(value, Truth):
        return "bool"
    if isinstance(value, Many):
        return f"{describe(value.element, order)}, each"
    if isinstance(value, Several):
        return f"{len(value.items)} values"
    return "no tensor" if isinstance(value, Meta) else "unknown"
