"""Rows of output: code, the comment behind it, or both; comments of neighbouring rows stand below each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

WIDEST_CODE = 80
"""Beside a row of code wider than this, the comments of its neighbours are not lined up with its own."""


class Row(NamedTuple):
    """One line of output; an empty one has neither code nor comment."""

    indent: int
    code: str
    comment: str
    content: int = 0
    """The column of what the line says; only comments of rows that share it are lined up."""

    @property
    def width(self) -> int:
        return self.indent + len(self.code)


EMPTY = Row(0, "", "")


def write(rows: Iterable[Row]) -> str:
    """The rows as text that ends with a line break, or nothing."""
    text = [f"{line}\n" for run in _runs(rows) for line in _write_run(run)]
    return "".join(text)


def _runs(rows: Iterable[Row]) -> list[list[Row]]:
    """Neighbouring rows with code and comment of one kind together, every other row by itself."""
    runs: list[list[Row]] = []
    for row in rows:
        last = runs[-1][-1] if runs else EMPTY
        if row.code and row.comment and last.code and last.comment and row.content == last.content:
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def _write_run(run: Sequence[Row]) -> list[str]:
    widest = max(row.width for row in run)
    lines = []
    for row in run:
        between = " " * (widest - row.width if widest <= WIDEST_CODE else 0) + "  " if row.code else ""
        lines.append((" " * row.indent + row.code + (between + row.comment if row.comment else "")).rstrip())
    return lines
