"""What is asked of an operator's form, and what it answers: shapes for its operands, and attributes.

A form knows small shapes that an operator takes, in the variants that tend to go wrong. It is asked for one call of a
pattern, some operands of which may have a shape already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]

ALL_CODES: Shape = (1, 2, 16, 16)
"""Room for all 256 codes in each of two channels."""
ALL_PAIRS: Shape = (1, 1, 256, 256)
"""Room for every pair of 256 codes."""


@dataclass(frozen=True)
class Hint:
    """What the guard of a rule says of an operand."""

    constant: bool | None = None
    """None where it says nothing."""
    scalar: bool = False
    vector: bool = False
    """It varies along one axis (`spans`)."""
    rank: int | None = None


@dataclass(frozen=True)
class Ask:
    """One call of a pattern."""

    op: str
    known: tuple[Shape | Shapes | None, ...]
    """By operand of the pattern: the shape of one that is there already (a list's shapes), or None."""
    hints: tuple[Hint, ...]
    want: Shape | None
    """A shape that whoever reads the result would like it, or the operand, to have."""
    settings: Mapping[str, Any]
    """Attributes that the pattern or its guard fix."""
    choose: Callable[[str, Sequence[Any]], Any]

    def pick(self, label: str, options: Sequence[T]) -> T:
        """One of some options, the usual one first."""
        chosen: T = self.choose(label, options)
        return chosen

    def shape(self, position: int) -> Shape | None:
        """The known shape of an operand that is one tensor."""
        found = self.known[position] if position < len(self.known) else None
        return found if found is None or not found or isinstance(found[0], int) else None  # type: ignore[return-value]

    def hint(self, position: int) -> Hint:
        return self.hints[position] if position < len(self.hints) else Hint()

    def base(self, *more: Shape) -> Shape:
        """A shape for an operand that may have any: what is wanted, else a small one; the smallest comes last."""
        if self.want is not None:
            return self.want
        return self.pick("shape", [(1, 3, 4, 5), *more, (2, 3, 5), ALL_CODES, (1, 4), (1, 1, 1, 2)])


@dataclass(frozen=True)
class Plan:
    """What a call is made of."""

    shapes: tuple[Shape | Shapes, ...]
    """By tensor operand, in order; for a list of tensors their shapes."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the operator's function in relax.op that are no tensors, by name."""
    positive: frozenset[int] = frozenset()
    """Operands that have to be above 0 (a variance)."""
    dtypes: Mapping[int, str] = field(default_factory=dict)
    """Dtypes of operands that are not float32."""
    bound: int = 2
    """Integer operands (indices) are below this."""


Form = Callable[[Ask], "Plan | None"]
"""None: not with these known shapes."""
