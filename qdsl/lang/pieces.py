"""What the builder holds while it works: values with the characters they cover, parentheses included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qdsl.lang.source import Span


@dataclass(frozen=True)
class Piece:
    """A token's text or a rule's result."""

    kind: str
    """The terminal or the rule."""
    value: Any
    start: int
    end: int
    """Wider than `value.span` where a node stands in parentheses."""
    depth: int
    """How deep the tree below is."""


class Refusal(Exception):
    """Something the grammar allows and the language does not; becomes a Q0001 at `span`."""

    def __init__(self, span: Span, message: str, *, label: str = "", help: str | None = None) -> None:
        super().__init__(message)
        self.span, self.message, self.label, self.help = span, message, label, help


def first_of(parts: Sequence[Piece], kind: str) -> Any:
    """The value of the first part of a kind, or None."""
    return next((p.value for p in parts if p.kind == kind), None)


def all_of(parts: Sequence[Piece], kind: str) -> tuple[Any, ...]:
    """The values of all parts of a kind."""
    return tuple(p.value for p in parts if p.kind == kind)


def value_of(parts: Sequence[Piece], index: int) -> Any:
    """The value of one part, or None beyond the end."""
    return parts[index].value if index < len(parts) else None
