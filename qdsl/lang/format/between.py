"""What stands between lines: comments on lines of their own, and the empty lines between items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdsl.lang import tree
from qdsl.lang.format.layout import Layout
from qdsl.lang.format.lines import CLAUSE_COLUMN, Kind, Line
from qdsl.lang.format.remarks import Gap, Remark
from qdsl.lang.format.rows import EMPTY, Row

SECTION = "# ----"
"""How a comment begins that heads a part of a file; an empty line stands on both sides of it."""


def before_line(layout: Layout, number: int) -> Iterator[Row]:
    """The rows above a line; a comment behind the line before is that line's own."""
    line = layout.lines[number]
    before = layout.lines[number - 1] if number else None
    gap = layout.gaps[line.start]
    if before is not None and before.item == line.item:
        for remark in _own(gap.remarks):
            inside = remark.column > CLAUSE_COLUMN and before.content > CLAUSE_COLUMN
            yield Row(before.content if inside else line.indent, "", remark.text)
        return
    yield from _between_items(layout, before, line, gap)


def behind_last(layout: Layout) -> Iterator[Row]:
    """The rows below the last line."""
    last = layout.lines[-1] if layout.lines else None
    yield from _between_items(layout, last, None, layout.gaps[-1])


def _between_items(layout: Layout, before: Line | None, line: Line | None, gap: Gap) -> Iterator[Row]:
    """Comments that still belong to the item above, empty lines, and comments that stand by themselves or head the
    item below."""
    free = _own(gap.remarks)
    while before is not None and before.kind is not Kind.HEAD and free and free[0].column > 0:
        inside = free[0].column > CLAUSE_COLUMN
        yield Row(before.content if inside else CLAUSE_COLUMN, "", free[0].text)
        free = free[1:]
    apart = before is not None and not _may_touch(layout, before, line)
    for number, remark in enumerate(free):
        first = before is None and number == 0
        heads = remark.text.startswith(SECTION)
        if not first and (apart or remark.after_blank or heads):
            yield EMPTY
        yield Row(0, "", remark.text)
        apart = heads and number + 1 == len(free)
    if line is not None and (apart or (gap.blank and (before is not None or free))):
        yield EMPTY


def _may_touch(layout: Layout, before: Line, line: Line | None) -> bool:
    """Whether two items can stand without an empty line between them: neighbours of one kind and one line each."""
    above = layout.file.items[before.item]
    if not isinstance(above, tree.Use | tree.Scheme | tree.Def):
        return False
    return line is None or type(above) is type(layout.file.items[line.item])


def _own(remarks: Sequence[Remark]) -> list[Remark]:
    return [remark for remark in remarks if remark.own_line]
