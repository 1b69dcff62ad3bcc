"""Inlay hints: the types that nobody writes, `int32[C] @ x.scale * w.scale`, where they come about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lsp.document import Document
from qdsl.lsp.types import Typed, typed


@dataclass(frozen=True)
class Hint:
    """Text shown at an offset, after what stands before it."""

    offset: int
    text: str
    tooltip: str


def hints(document: Document, start: int, end: int) -> Iterator[Hint]:
    """The hints of a stretch of a document: behind what `realize` binds, and behind marks that do not say the type."""
    for item in document.items:
        if isinstance(item, tree.Rule) and item.span.start < end and item.span.end > start:
            types = typed(item, document.program)
            if types is not None:
                yield from (h for h in _of_rule(item, types) if start <= h.offset <= end)


def _of_rule(rule: tree.Rule, types: Typed) -> Iterator[Hint]:
    where = f"where the operator is {types.operator}" if types.operator else "as the checker finds it"
    for mark in rule.annotate:
        text = types.of_name(mark.targets[0].id) if _is_silent(mark) else None
        if text is not None:
            yield Hint(mark.span.end, f"  {text}", where)
    for binding in rule.realize or ():
        for target in binding.targets:
            found = None if isinstance(target, tree.IgnoredTarget) else types.of_local(target.id)
            if found is not None:
                yield Hint(target.span.end, f": {found}", where)


def _is_silent(mark: tree.Mark) -> bool:
    """Whether a mark gives a type that it does not name."""
    return isinstance(mark, tree.Like) or isinstance(mark.spec, tree.AnySpec)
