"""Diagnostics as text: for people (pretty), a line each for editors and scripts (concise), and as data (json)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.snippet import Row, Styled, snippet
from qdsl.lang.source import Source

FORMATS = ("pretty", "concise", "json")

CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "gutter": "1;34",
    "secondary": "1;34",
    "title": "1",
    "": "",
}
"""ANSI colours by style; `primary` takes that of the severity."""


def render(diagnostics: Iterable[Diagnostic], format: str = "pretty", color: bool = False) -> str:
    """All findings in one of FORMATS, in the order given, without a final line break; "" for none, "[]" in json.

    Colour is added to the pretty form only and changes none of its characters. Raises ValueError for another format.
    """
    findings = list(diagnostics)
    if format == "pretty":
        return "\n\n".join(_pretty(finding, color) for finding in findings)
    if format == "concise":
        return "\n".join(f"{d.primary.span}: {d.code} {_one_line(d.message)}" for d in findings)
    if format == "json":
        return json.dumps([as_dict(d) for d in findings], indent=2, ensure_ascii=False)
    raise ValueError(f"unknown format {format!r}: the formats are {', '.join(FORMATS)}")


def as_dict(diagnostic: Diagnostic) -> dict[str, object]:
    """One finding as plain data; lines and columns count from 1, columns in characters, the end is exclusive."""
    span = diagnostic.primary.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "labels": [
            {"file": label.span.path, "line": label.span.line, "column": label.span.column, "message": label.message}
            for label in diagnostic.secondary
        ],
        "help": diagnostic.help,
    }


def _pretty(diagnostic: Diagnostic, color: bool) -> str:
    return "\n".join(_paint(line, diagnostic.severity, color) for line in _lines(diagnostic))


def _lines(diagnostic: Diagnostic) -> list[Styled]:
    """The message as rows of styled text: title, a block for each file, help."""
    blocks = [(labels[0][0].span, snippet(source, labels)) for source, labels in _by_source(diagnostic)]
    gutter = max(len(str(row.number)) for _, rows in blocks for row in rows if row.number)
    title = f"{diagnostic.severity}[{diagnostic.code}]"
    lines: list[Styled] = [((title, diagnostic.severity), (f": {_one_line(diagnostic.message)}", "title"))]
    for index, (span, rows) in enumerate(blocks):
        arrow = "-->" if index == 0 else ":::"
        # A file that could not be read has no text, and so no place in it to show.
        lines.append(((f"{' ' * gutter}{arrow} ", "gutter"), (str(span) if span.source.text else span.path, "")))
        if span.source.text:
            lines.append(((f"{' ' * gutter} |", "gutter"),))
            lines.extend(_gutter_row(row, gutter) for row in rows)
    for i, help_line in enumerate((diagnostic.help or "").splitlines()):
        lead = "= help: " if i == 0 else "        "
        lines.append(((f"{' ' * gutter} {lead}", "gutter"), (help_line, "")))
    return lines


def _gutter_row(row: Row, gutter: int) -> Styled:
    number = "" if row.number is None else str(row.number)
    return ((f"{number:>{gutter}} |", "gutter"), (" ", ""), *row.content)


def _by_source(diagnostic: Diagnostic) -> list[tuple[Source, list[tuple[Label, bool]]]]:
    """The labels of a finding by the file they are in, that of the primary one first."""
    groups: dict[int, tuple[Source, list[tuple[Label, bool]]]] = {}
    for label in (diagnostic.primary, *diagnostic.secondary):
        source = label.span.source
        groups.setdefault(id(source), (source, []))[1].append((label, label is diagnostic.primary))
    return list(groups.values())


def _paint(line: Styled, severity: str, color: bool) -> str:
    if not color:
        return "".join(text for text, _ in line).rstrip()
    painted = []
    for text, style in line:
        code = CODES[severity if style == "primary" else style]
        painted.append(f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text)
    return "".join(painted).rstrip()


def _one_line(text: str) -> str:
    return " ".join(text.split())
