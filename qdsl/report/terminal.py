"""The report as a table on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from qdsl.report import words

if TYPE_CHECKING:
    from qdsl.report.report import Report
    from qdsl.report.rows import Row

STYLES = {"quantized": "green", "float": "yellow", "skipped": "cyan", "folded": "dim"}
"""Colour of each outcome; the word stands there too, for those who see none."""


WIDE = 110
"""Columns of a terminal from which on scales, zero points and bits are shown too."""


def table(report: Report, width: int = WIDE) -> Table:
    """A line for each operator: outcome, rule or reason, format, error. Narrow terminals see less of the format."""
    result = Table(box=None, pad_edge=False, header_style="bold")
    columns = _columns(report, wide=width >= WIDE)
    for heading, _ in columns:
        numeric = heading in ("bits", "zero", "dB", "alone", "us")
        folds = heading in ("operator", "rule, or why not")
        result.add_column(heading, justify="right" if numeric else "left", overflow="fold", no_wrap=not folds)
    for row in report.rows:
        # Text, so that a bracket in a name is not taken for markup.
        result.add_row(
            *(Text(cell(row), STYLES[row.outcome] if heading == "outcome" else "") for heading, cell in columns)
        )
    return result


def _columns(report: Report, wide: bool) -> list[tuple[str, Callable[[Row], str]]]:
    """Heading and cell of each column; columns that are empty all the way are left out."""
    columns: list[tuple[str, Callable[[Row], str]]] = [
        ("operator", lambda row: row.name),
        ("kind", lambda row: row.op),
        ("outcome", lambda row: row.outcome),
        ("rule, or why not", words.why),
        ("scheme", lambda row: row.scheme or ""),
    ]
    if wide:
        columns += [
            ("bits", lambda row: "" if row.bits is None else str(row.bits)),
            ("scale", lambda row: words.scale(row.scale)),
            ("zero", lambda row: words.zero_point(row.zero_point)),
        ]
    columns.append(("dB", lambda row: words.decibels(row.sqnr_db)))
    if wide:
        columns += [
            ("alone", lambda row: words.decibels(row.sqnr_alone_db)),
            ("us", lambda row: "" if row.time_us is None else f"{row.time_us:.1f}"),
        ]
    always = ("operator", "kind", "outcome", "rule, or why not")
    return [(heading, cell) for heading, cell in columns if heading in always or any(map(cell, report.rows))]
