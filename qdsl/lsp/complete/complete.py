"""Completion at a place in a document: which kinds of names and words to look among."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qdsl.lang.program import Program
from qdsl.lsp.complete.comments import allowances
from qdsl.lsp.complete.expressions import expression, fields
from qdsl.lsp.complete.heads import head
from qdsl.lsp.complete.keywords import keywords
from qdsl.lsp.complete.marks import marks
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site
from qdsl.lsp.complete.strings import strings
from qdsl.lsp.cursor import Cursor
from qdsl.lsp.document import Document


def complete(document: Document, offset: int, program: Program | None = None) -> list[Proposal]:
    """What may be written at a character offset. `program` may be that of an earlier state of the text."""
    cursor = Cursor(document, offset)
    if cursor.is_in_comment:
        return list(allowances(document, offset))
    site = Site(cursor, document.program if program is None else program)
    return _once(strings(site) if cursor.string is not None else (*_names(site), *keywords(cursor)))


def _names(site: Site) -> Iterator[Proposal]:
    cursor = site.cursor
    if cursor.previous is not None and cursor.previous.kind == "DOT":
        yield from fields(site)
    elif cursor.clause in ("head", "for", "overrides") and not _is_expression(cursor):
        yield from head(site)
    elif cursor.clause in ("annotate", "expect"):
        yield from marks(site)
    elif cursor.clause != "because":
        yield from expression(site)


def _is_expression(cursor: Cursor) -> bool:
    """Whether the head of an item is an expression: a skip's pattern, the body of a def."""
    if cursor.clause != "head":
        return False
    return cursor.kind == "skip" or (cursor.kind == "def" and any(w.kind == "EQUAL" for w in cursor.before))


def _once(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Each label once, of those proposed twice the one that is shown first."""
    found: dict[tuple[str, bool], Proposal] = {}
    for proposal in sorted(proposals, key=lambda p: p.rank):
        found.setdefault((proposal.label, proposal.kind == "snippet"), proposal)
    return list(found.values())
