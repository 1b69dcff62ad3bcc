"""Findings for other programs: SARIF 2.1.0 for code scanners, and workflow commands for GitHub's annotations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from qdsl.check.codes import page
from qdsl.version import __version__

if TYPE_CHECKING:
    from qdsl.lang.diagnostics import Diagnostic
    from qdsl.lang.source import Span


def sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """One run of qdsl as a SARIF log."""
    found = list(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found})
    driver = {"name": "qdsl", "version": __version__, "rules": [_described(code) for code in codes]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [*map(_result, found)]}],
    }


def _described(code: str) -> dict[str, Any]:
    meaning = page(code)
    return {
        "id": code,
        "shortDescription": {"text": meaning.title},
        "fullDescription": {"text": meaning.why},
        "help": {"text": meaning.mend},
    }


def _result(diagnostic: Diagnostic) -> dict[str, Any]:
    labels = [(label.span, label.message) for label in diagnostic.secondary]
    return {
        "ruleId": diagnostic.code,
        "level": diagnostic.severity,
        "message": {"text": _whole_message(diagnostic)},
        "locations": [_location(diagnostic.primary.span)],
        "relatedLocations": [{**_location(span), "message": {"text": message}} for span, message in labels],
    }


def _location(span: Span) -> dict[str, Any]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": quote(span.path)}, "region": region}}


def github(diagnostic: Diagnostic) -> str:
    """A workflow command; what it reserves is escaped as GitHub asks for."""
    kind = {"error": "error", "warning": "warning"}.get(diagnostic.severity, "notice")
    span = diagnostic.primary.span
    place = {
        "file": span.path,
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
        "title": diagnostic.code,
    }
    properties = ",".join(f"{key}={_escaped(str(value), property=True)}" for key, value in place.items())
    return f"::{kind} {properties}::{_escaped(_whole_message(diagnostic))}"


def _whole_message(diagnostic: Diagnostic) -> str:
    return diagnostic.message + (f"; {diagnostic.help}" if diagnostic.help else "")


def _escaped(text: str, property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property else text
