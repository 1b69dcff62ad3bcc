"""Which words begin a line, and what kind of line: heads, docs, clauses, and what stands below a clause's first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from qdsl.lang import tree
from qdsl.lang.format.spacing import is_keyword
from qdsl.lang.tokens import Word

CLAUSE_COLUMN = 4
"""Where clause keywords and docs stand."""
CONTENT_COLUMN = CLAUSE_COLUMN + 10
"""Where what a clause says stands."""
CONTINUED = 4
"""How much further in a line goes on below; a head's next line stands clear of the clauses."""

CLAUSES = frozenset({"match", "when", "annotate", "realize", "rewrite", "given", "expect", "because"})


class Kind(Enum):
    """What a line is."""

    HEAD = "head"
    DOC = "doc"
    CLAUSE = "clause"
    """A clause keyword with the first of what the clause says."""
    GUARD = "guard"
    """A `when`."""
    REASON = "reason"
    """A `because`, which has one string and no column."""
    MORE = "more"
    """Another binding, mark or outcome of the same clause."""


@dataclass(frozen=True)
class Line:
    """The words [start, end), which stand on one line if nothing is between them and there is room."""

    start: int
    end: int
    kind: Kind
    item: int
    """The number of the item that it is part of."""
    clause: int
    """The number of the word that begins its clause, or the item where it is in none."""

    @property
    def indent(self) -> int:
        """Blanks before its first word."""
        return {Kind.HEAD: 0, Kind.MORE: CONTENT_COLUMN}.get(self.kind, CLAUSE_COLUMN)

    @property
    def content(self) -> int:
        """The column that belongs to what it says."""
        return CONTENT_COLUMN if self.kind in (Kind.CLAUSE, Kind.GUARD, Kind.MORE) else self.indent

    @property
    def continued(self) -> int:
        """The column where it goes on below."""
        if self.kind is Kind.HEAD:
            return CONTINUED * 2
        return self.content + CONTINUED


def read_lines(file: tree.File, words: Sequence[Word], depth: Sequence[int]) -> list[Line]:
    """The lines of a file that has no syntax error, in order; together they hold every word."""
    by_start = {word.start: number for number, word in enumerate(words)}
    found: list[Line] = []
    for number, item in enumerate(file.items):
        first = by_start[item.span.start]
        next_item = file.items[number + 1].span.start if number + 1 < len(file.items) else None
        last = len(words) if next_item is None else by_start[next_item]
        begins = {by_start[node.span.start] for node in _parts(item)}
        found += _lines_of(number, range(first, last), words, depth, begins)
    return found


def _parts(item: tree.Item) -> list[tree.Node]:
    """What begins lines of its own within clauses."""
    if isinstance(item, tree.Fold):
        return [*item.match, *item.rewrite]
    if isinstance(item, tree.Rule):
        return [*item.match, *item.annotate, *(item.realize or ())]
    if isinstance(item, tree.Test):
        return [*item.given, *item.expect]
    return []


def _lines_of(item: int, span: range, words: Sequence[Word], depth: Sequence[int], begins: set[int]) -> list[Line]:
    """The lines of one item, whose words are `span`."""
    found = [Line(span.start, span.stop, Kind.HEAD, item, span.start)]

    def begin(i: int, kind: Kind, clause: int) -> None:
        found[-1] = replace(found[-1], end=i)
        found.append(Line(i, span.stop, kind, item, clause))

    for i in span[1:]:
        if depth[i] == 0 and words[i].text in CLAUSES and is_keyword(words, depth, i):
            kind = {"when": Kind.GUARD, "because": Kind.REASON}.get(words[i].text, Kind.CLAUSE)
            begin(i, kind, i)
        elif i in begins and not (found[-1].kind is Kind.CLAUSE and i == found[-1].start + 1):
            begin(i, Kind.MORE, found[-1].clause)
        elif words[i].kind == "STRING" and i + 1 < span.stop and _is_doc(words, depth, i):
            begin(i, Kind.DOC, span.start)
    return found


def _is_doc(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether a string is the doc of a rule or fold: the match follows, and only there can one follow a string."""
    return words[i + 1].text == "match" and is_keyword(words, depth, i + 1) and depth[i + 1] == 0
