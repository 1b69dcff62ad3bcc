"""Lines of text as a terminal shows them: which column a character stands in, and what to show of a very long line."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

TAB_STOP = 4
WIDEST = 100
"""Columns of a source line that are shown; of a longer one, the part around its labels."""
CONTEXT = 24
"""Columns shown before the first label of a trimmed line."""
ELLIPSIS = "..."


@dataclass(frozen=True)
class Cell:
    """One character as shown."""

    text: str
    width: int
    """Columns it takes: 0 for combining marks, 2 for wide characters, more for tabs."""


def cell(character: str, column: int) -> Cell:
    """How a character that begins at a 0-based column is shown; what cannot be seen is shown as U+FFFD."""
    if character == "\t":
        width = TAB_STOP - column % TAB_STOP
        return Cell(" " * width, width)
    if character.isascii() and character.isprintable():
        return Cell(character, 1)
    category = unicodedata.category(character)
    if category in ("Mn", "Me"):
        return Cell(character, 0)
    if category[0] == "C" or category in ("Zl", "Zp"):
        return Cell("\ufffd", 1)
    return Cell(character, 2 if unicodedata.east_asian_width(character) in "WF" else 1)


@dataclass(frozen=True)
class ShownLine:
    """A line laid out in columns, perhaps trimmed."""

    text: str
    starts: tuple[int, ...]
    """The 0-based column of each character laid out and of the place behind the last, before trimming."""
    skipped: int = 0
    """Characters of the line before those that are laid out."""
    first: int = 0
    """The first column that is shown, and the column behind the last one."""
    last: int = WIDEST
    shift: int = 0
    """Column of `text` = column before trimming - shift."""

    def column(self, offset: int) -> int:
        """The 0-based column of `text` that shows a character of the line; its nearest edge where that is cut off."""
        column = self.starts[min(max(offset - self.skipped, 0), len(self.starts) - 1)]
        return max(min(column, self.last), self.first) - self.shift


def lay_out(line: str, low: int, high: int) -> ShownLine:
    """A line of which at most WIDEST columns are shown, among them its characters low to high if they fit."""
    # Of a line without end only the neighbourhood is looked at, however long the file.
    skipped = max(0, low - 2 * WIDEST)
    part = line[skipped : skipped + 6 * WIDEST]
    cells, starts = _cells(part)
    if not skipped and len(part) == len(line) and starts[-1] <= WIDEST:
        return ShownLine("".join(c.text for c in cells), tuple(starts))
    begin, end = starts[min(low - skipped, len(cells))], starts[min(high - skipped, len(cells))]
    wanted = 0 if not skipped and end <= WIDEST else begin - CONTEXT
    first = max(0, min(wanted, starts[-1] - WIDEST))
    last = min(first + WIDEST, starts[-1])
    shown = [(c.text, s) for c, s in zip(cells, starts, strict=False) if first <= s and s + c.width <= last]
    first = shown[0][1] if shown else first
    before = ELLIPSIS if first or skipped else ""
    after = ELLIPSIS if last < starts[-1] or skipped + len(part) < len(line) else ""
    text = before + "".join(t for t, _ in shown) + after
    return ShownLine(text, tuple(starts), skipped, first, last, first - len(before))


def _cells(line: str) -> tuple[list[Cell], list[int]]:
    """The characters as shown, and the column of each and of the place behind the last."""
    cells: list[Cell] = []
    starts = [0]
    for character in line:
        cells.append(cell(character, starts[-1]))
        starts.append(starts[-1] + cells[-1].width)
    return cells, starts
