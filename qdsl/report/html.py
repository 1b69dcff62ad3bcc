"""The report as one self-contained page: a summary, and a table that sorts by any column and filters by text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from qdsl.report import words
from qdsl.report.rows import OUTCOMES, Row
from qdsl.report.summary import headline

if TYPE_CHECKING:
    from qdsl.report.report import Report

COLUMNS = (
    *(("operator", "text"), ("kind", "text"), ("outcome", "text"), ("rule", "text"), ("why", "text")),
    *(("scheme", "text"), ("bits", "number"), ("scale", "number"), ("zero", "number")),
    *(("dB", "number"), ("alone dB", "number"), ("µs", "number")),
)
"""Heading of each column, and how it sorts."""
FIXED = 9
"""So many columns are always shown."""


def page(report: Report) -> str:
    """A whole HTML document that needs nothing beside it."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.model)} - qdsl</title>\n</head>\n<body>\n{fragment(report)}</body>\n</html>\n"
    )


def fragment(report: Report) -> str:
    """The part between <body> and </body>, styles and script included: what a notebook shows."""
    return "\n".join(
        [
            f"<style>\n{_asset('report.css')}</style>",
            '<div class="qdsl-report">',
            f"<h1>{escape(headline(report))}</h1>",
            *_chips(report),
            *_warnings(report),
            *_outputs(report),
            *_facts(report),
            '<input class="filter" type="search" placeholder="filter operators" aria-label="filter operators">',
            *_table(report),
            "</div>",
            f"<script>\n{_asset('report.js')}</script>\n",
        ]
    )


def _chips(report: Report) -> Iterator[str]:
    yield '<p class="chips">'
    for outcome in OUTCOMES:
        yield f'<button class="chip {outcome}" data-outcome="{outcome}">{report.count(outcome)} {outcome}</button>'
    yield "</p>"


def _warnings(report: Report) -> Iterator[str]:
    for warning in report.warnings:
        yield f'<p class="warning">{escape(warning)}</p>'


def _outputs(report: Report) -> Iterator[str]:
    if not report.outputs:
        return
    yield '<table class="facts"><caption>outputs against float</caption>'
    for output in report.outputs:
        yield f"<tr><th>{escape(output.name)}</th><td>{escape(words.error(output))}</td></tr>"
    yield "</table>"


def _facts(report: Report) -> Iterator[str]:
    counts = report.counts
    facts = {kind.removesuffix("_ops"): str(counts[kind]) for kind in counts if kind not in OUTCOMES}
    facts |= {f"{stage}, seconds": f"{seconds:.2f}" for stage, seconds in report.timings_s.items()}
    facts |= {f"latency {which}, ms": f"{value:.3g}" for which, value in report.latency_ms.items()}
    facts |= {f"constants {which}, bytes": f"{value:,}" for which, value in report.size_bytes.items()}
    if report.peak_rss_mb:
        facts["peak memory, MB"] = f"{report.peak_rss_mb:.0f}"
    facts |= dict(_flat(report.provenance))
    yield "<details><summary>conversions, timings, provenance</summary>"
    yield '<table class="facts">'
    for name, value in {**facts, "qdsl": report.version}.items():
        yield f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
    yield "</table></details>"


def _flat(data: object, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _flat(value, f"{prefix} {key}".strip())
    elif data is not None:
        yield prefix, str(data)


def _table(report: Report) -> Iterator[str]:
    rows = [(row.outcome, [*_cells(row)]) for row in report.rows]
    # What nobody measured needs no column; the columns before these are always there, since styles count them.
    shown = [n for n in range(len(COLUMNS)) if n < FIXED or any(cells[n][1] for _, cells in rows)]
    yield '<table class="rows">\n<thead><tr>'
    for heading, kind in (COLUMNS[n] for n in shown):
        yield f'<th data-sort="{kind}" aria-sort="none" tabindex="0">{escape(heading)}</th>'
    yield "</tr></thead>\n<tbody>"
    for outcome, cells in rows:
        text = "".join(f'<td data-value="{escape(cells[n][0])}">{escape(cells[n][1])}</td>' for n in shown)
        yield f'<tr class="{outcome}">{text}</tr>'
    yield "</tbody></table>"


def _cells(row: Row) -> Iterator[tuple[str, str]]:
    """(what to sort by, what to show) of each column."""
    for text in (row.name, row.op, row.outcome, row.rule, row.reason, row.scheme):
        yield text or "", text or ""
    yield _number(row.bits), _number(row.bits)
    yield _number(row.scale), words.scale(row.scale)
    yield _number(row.zero_point), words.zero_point(row.zero_point)
    for decibels in (row.sqnr_db, row.sqnr_alone_db):
        yield _number(decibels), words.decibels(decibels)
    yield _number(row.time_us), "" if row.time_us is None else f"{row.time_us:.1f}"


def _number(value: float | tuple[float, ...] | None) -> str:
    if isinstance(value, tuple):
        return str(max((one for one in value if one is not None), default=""))
    return "" if value is None else str(value)


def _asset(name: str) -> str:
    return resources.files("qdsl.report").joinpath(name).read_text(encoding="utf-8")
