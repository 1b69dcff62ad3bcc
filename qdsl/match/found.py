"""A match: what the names of a pattern stand for at a root, and how near a pattern came that does not match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tvm import relax

from qdsl.lang.source import Span
from qdsl.match.pattern import Compiled

Captured = Any
"""A relax.Expr, or a tuple of them where the name is a spread."""


@dataclass(frozen=True)
class Place:
    """Where in a match a value stands: a call, and an operand position or "result"."""

    call: relax.Call
    position: int | str


@dataclass(frozen=True)
class Match:
    """A pattern found at a root: what the names stand for."""

    compiled: Compiled
    root: relax.Var
    captures: Mapping[str, Captured]
    places: Mapping[str, Place]
    results: tuple[str, ...]
    """Names of the root's results."""
    interior: tuple[relax.Var, ...]
    """Variables made inside the match, the root's own excluded."""

    def value(self, name: str) -> relax.Expr:
        """The single value a name stands for."""
        value = self.captures[name]
        assert not isinstance(value, tuple)
        return value

    def values(self, name: str) -> tuple[relax.Expr, ...]:
        """The values a name or a spread name stands for."""
        value = self.captures[name]
        return value if isinstance(value, tuple) else (value,)

    @property
    def boundary(self) -> tuple[str, ...]:
        """Captured names that come from outside the match."""
        inside = set(self.interior)
        made = {n for n, p in self.places.items() if p.position == "result"}
        return tuple(n for n in self.captures if n not in made and not inside.intersection(vars_of(self.values(n))))


@dataclass
class Failure:
    """How far a pattern got at a root, and why no further."""

    depth: int = -1
    span: Span | None = None
    message: str = ""

    def record(self, depth: int, span: Span, message: str) -> None:
        if depth > self.depth:
            self.depth, self.span, self.message = depth, span, message


def vars_of(values: tuple[relax.Expr, ...]) -> set[relax.Var]:
    """The variables among some values."""
    return {v for v in values if isinstance(v, relax.Var)}
