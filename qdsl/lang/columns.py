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
    """The 0-based column of each character of the original line and of the place behind it, before trimming."""
    first: int = 0
    """The column of the whole line that is shown first; that of `text` is `first - shift`."""
    last: int | None = None
    """The column behind the last one shown, or None where the line is shown to its end."""
    shift: int = 0

    def column(self, offset: int) -> int:
        """The 0-based column of `text` that shows a character of the original line; its edge where that is cut off."""
        column = self.starts[min(offset, len(self.starts) - 1)]
        if self.last is not None:
            column = min(column, self.last)
        return max(column, self.first) - self.shift


def lay_out(line: str) -> ShownLine:
    """A line in full."""
    cells, starts = _cells(line)
    return ShownLine("".join(c.text for c in cells), tuple(starts))


def trim(line: str, low: int, high: int) -> ShownLine:
    """A line of which at most about WIDEST columns are shown, among them its characters low to high if they fit."""
    cells, starts = _cells(line)
    if starts[-1] <= WIDEST:
        return lay_out(line)
    behind = starts[min(high, len(starts) - 1)]
    wanted = 0 if behind <= WIDEST else starts[min(low, len(starts) - 1)] - CONTEXT
    first = max(0, min(wanted, starts[-1] - WIDEST))
    last = min(first + WIDEST, starts[-1])
    shown = [(c.text, s) for c, s in zip(cells, starts, strict=False) if first <= s and s + c.width <= last]
    if shown:
        first = shown[0][1]
    before = ELLIPSIS if first else ""
    after = ELLIPSIS if last < starts[-1] else ""
    text = before + "".join(t for t, _ in shown) + after
    return ShownLine(text, tuple(starts), first, last, first - len(before))


def _cells(line: str) -> tuple[list[Cell], list[int]]:
    cells: list[Cell] = []
    starts = [0]
    for character in line:
        cells.append(cell(character, starts[-1]))
        starts.append(starts[-1] + cells[-1].width)
    return cells, starts
