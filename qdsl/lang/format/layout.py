"""The lines of a file on paper: code with its comments, indented and broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from qdsl.lang import tree
from qdsl.lang.format.breaking import WIDEST, is_joint, opens_list, soft_breaks
from qdsl.lang.format.columns import column_pads
from qdsl.lang.format.lines import Kind, Line, read_lines
from qdsl.lang.format.remarks import Gap
from qdsl.lang.format.rows import Row
from qdsl.lang.format.spacing import depths, is_apart
from qdsl.lang.tokens import Word

DEEPEST = 60
"""A line goes on at most this far in."""


@dataclass(frozen=True)
class Layout:
    """Everything that decides how a file is written."""

    file: tree.File
    words: Sequence[Word]
    gaps: Sequence[Gap]
    depth: Sequence[int]
    lines: Sequence[Line]
    pads: dict[int, int]

    def text(self, start: int, end: int) -> str:
        """The words [start, end) on one line."""
        parts = [self.words[start].text]
        for i in range(start + 1, end):
            parts += [" " * self._blanks(i), self.words[i].text]
        return "".join(parts)

    def width(self, start: int, end: int) -> int:
        """Columns that `text` takes."""
        inner = sum(self._blanks(i) for i in range(start + 1, end))
        return inner + sum(len(word.text) for word in self.words[start:end])

    def _blanks(self, i: int) -> int:
        return self.pads.get(i, int(is_apart(self.words, self.depth, i)))

    def rows(self, line: Line) -> Iterator[Row]:
        """A line as it stands on paper, with the comments inside it; those before it are not among them."""
        forced = {i for i in range(line.start + 1, line.end) if self.gaps[i].remarks}
        soft = soft_breaks(line, self.words, self.depth, self.gaps, forced, self.width)
        starts = [line.start, *sorted(forced | soft)]
        for start, end in zip(starts, [*starts[1:], line.end], strict=True):
            indent = line.indent if start == line.start else self._below(line, start, starts[1])
            if start != line.start:
                yield from (Row(indent, "", r.text) for r in self.gaps[start].remarks if r.own_line)
            behind = "".join(r.text for r in self.gaps[end].remarks if not r.own_line)
            yield Row(indent, self.text(start, end), behind, line.content)

    def _below(self, line: Line, start: int, first_break: int) -> int:
        """The column of a part of a line that stands below its first: under what it continues, where that is a list of
        operators or the right side of a binding."""
        is_first = start == line.start + 1 and line.kind in (Kind.CLAUSE, Kind.GUARD)
        is_term = line.kind is Kind.GUARD and is_joint(self.words, self.depth, start)
        if is_first or is_term:
            return line.content
        opening = opens_list(line, start, self.words, self.depth)
        if opening is None or first_break <= opening + 1:
            return line.continued
        column = line.indent + self.width(line.start, opening + 1) + 1
        return column if column <= DEEPEST else line.continued


def lay_out(file: tree.File, words: Sequence[Word], gaps: Sequence[Gap]) -> Layout:
    """The layout of a file that has no syntax error."""
    depth = depths(words)
    layout = Layout(file, words, gaps, depth, read_lines(file, words, depth), column_pads(file, words, gaps))
    layout.pads.update({line.start + 1: _clause_pad(words, line) for line in layout.lines if _has_column(line)})
    return replace(layout, lines=_with_inline_guards(layout))


def _has_column(line: Line) -> bool:
    return line.kind in (Kind.CLAUSE, Kind.GUARD)


def _clause_pad(words: Sequence[Word], line: Line) -> int:
    """Blanks between a clause keyword and what the clause says."""
    return line.content - line.indent - len(words[line.start].text)


def _with_inline_guards(layout: Layout) -> list[Line]:
    """The guard of a skip stands on the skip's own line where it fits."""
    found: list[Line] = []
    for line in layout.lines:
        is_skips = isinstance(layout.file.items[line.item], tree.Skip) and line.kind is Kind.GUARD
        if is_skips and not layout.gaps[line.start].remarks:
            pad = layout.pads.pop(line.start + 1)
            if layout.width(found[-1].start, line.end) <= WIDEST:
                found[-1] = replace(found[-1], end=line.end)
                continue
            layout.pads[line.start + 1] = pad
        found.append(line)
    return found
