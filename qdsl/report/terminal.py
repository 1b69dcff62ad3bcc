"""The report as a table on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from qdsl.report import words

if TYPE_CHECKING:
    from qdsl.report.report import Report

STYLES = {"quantized": "green", "float": "yellow", "skipped": "cyan", "folded": "dim"}
"""Colour of each outcome; the word stands there too, for those who see none."""


def table(report: Report) -> Table:
    """A line for each operator: outcome, rule or reason, format, error."""
    result = Table(title=None, box=None, pad_edge=False, header_style="bold")
    result.add_column("operator", overflow="fold")
    result.add_column("kind")
    result.add_column("outcome")
    result.add_column("rule, or why not", overflow="fold")
    result.add_column("scheme")
    result.add_column("bits", justify="right")
    result.add_column("scale")
    result.add_column("zero", justify="right")
    result.add_column("dB", justify="right")
    with_alone = any(row.sqnr_alone_db is not None for row in report.rows)
    with_time = any(row.time_us is not None for row in report.rows)
    if with_alone:
        result.add_column("alone", justify="right")
    if with_time:
        result.add_column("us", justify="right")
    for row in report.rows:
        cells = [
            *(row.name, row.op, row.outcome, words.why(row), row.scheme or ""),
            *("" if row.bits is None else str(row.bits), words.scale(row.scale), words.zero_point(row.zero_point)),
            words.decibels(row.sqnr_db),
            *([words.decibels(row.sqnr_alone_db)] if with_alone else []),
            *(["" if row.time_us is None else f"{row.time_us:.1f}"] if with_time else []),
        ]
        # Text, so that a bracket in a name is not taken for markup.
        styled = [Text(cell, style=STYLES[row.outcome] if place == 2 else "") for place, cell in enumerate(cells)]
        result.add_row(*styled)
    return result
