"""A change that a help line asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.source import Span
from qdsl.lsp.document import Document
from qdsl.lsp.edits import Edit


@dataclass(frozen=True)
class Fix:
    """A change of the document that the finding is in."""

    title: str
    edits: tuple[Edit, ...]
    reveals: bool = False
    """Whether it may bring to light what the finding hid: behind an unknown name nothing was looked at."""


@dataclass(frozen=True)
class Problem:
    """A finding, and where in its document it stands."""

    finding: Diagnostic
    document: Document

    @property
    def span(self) -> Span:
        return self.finding.primary.span

    @property
    def help(self) -> str:
        return self.finding.help or ""

    @property
    def item(self) -> tree.Item | None:
        """The item around it; none where that has a syntax error."""
        return next((i for i in self.document.items if _holds(i.span, self.span)), None)

    def around(self, span: Span | None = None) -> list[tree.Node]:
        """The nodes around a place, the innermost first."""
        place = self.span if span is None else span
        found = [n for n in tree.walk(self.item) if _holds(n.span, place)] if self.item is not None else []
        return found[::-1]

    def nearest(self, *kinds: type[tree.Node]) -> tree.Node | None:
        """The innermost node of some kinds around it."""
        return next((n for n in self.around() if isinstance(n, kinds)), None)

    def replace(self, text: str, span: Span | None = None) -> tuple[Edit, ...]:
        return (Edit.of(self.span if span is None else span, text),)

    def without(self, parts: Sequence[tree.Node], gone: tree.Node) -> tuple[Edit, ...]:
        """A list of parts separated by commas or blanks without one of them."""
        index = next(i for i, part in enumerate(parts) if part is gone)
        if len(parts) == 1:
            return (Edit.of(gone.span, ""),)
        if index == 0:
            return (Edit(gone.span.start, parts[1].span.start, ""),)
        return (Edit(parts[index - 1].span.end, gone.span.end, ""),)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
