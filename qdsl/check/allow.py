"""`# qdsl: allow Q0313` on a line: its author has seen that finding and stands by the line.

The comment speaks of the line that it ends, or, alone on its line, of the next line with words. Warnings and notes
can be allowed; an error cannot, because the rules would not work. A comment that allows nothing is a finding
itself (Q0412), so that none outlives its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qdsl.check.finding import warning
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import comments, tokenize

ALLOW = re.compile(r"#\s*qdsl:\s*allow\b([^#\n]*)")
CODE = re.compile(r"\bQ\d{4}\b")
ELSEWHERE = frozenset({"Q0408", "Q0409"})
"""Codes that need more than the files to be found: tests that run, a model that is skipped in."""


@dataclass(frozen=True)
class Allowance:
    """One code that a comment allows on one line."""

    code: str
    path: str
    line: int
    span: Span
    """Where the code stands in the comment."""


def without_allowed(found: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """The findings that no comment allows, and one for each comment that allows nothing."""
    allowances = [a for source in program.sources.values() for a in allowances_in(source)]
    by_place = {(a.code, a.path, a.line): a for a in allowances}
    used: set[Allowance] = set()
    kept: list[Diagnostic] = []
    for finding in found:
        allowance = by_place.get((finding.code, finding.primary.span.path, finding.primary.span.line))
        if allowance is None or finding.is_error:
            kept.append(finding)
        if allowance is not None and not finding.is_error:
            used.add(allowance)
    return kept + [idle(a, kept) for a in allowances if a not in used and a.code not in ELSEWHERE]


def allowances_in(source: Source) -> Iterator[Allowance]:
    """All codes that comments of a file allow."""
    if "qdsl:" not in source.text:
        return
    for comment in comments(source, tokenize(source).words):
        allow = ALLOW.match(comment.text)
        if allow is None:
            continue
        for code in CODE.finditer(allow[1]):
            start = comment.start + allow.start(1) + code.start()
            span = Span(source, start, start + len(code[0]))
            yield Allowance(code[0], source.path, line_meant(source, comment.line), span)


def line_meant(source: Source, line: int) -> int:
    """The line that a comment speaks of: its own if there are words before it, else the next one with words."""
    if not source.line(line).lstrip().startswith("#"):
        return line
    following = line + 1
    while following <= len(source.line_starts):
        text = source.line(following).strip()
        if text and not text.startswith("#"):
            return following
        following += 1
    return line


def idle(allowance: Allowance, kept: Iterable[Diagnostic]) -> Diagnostic:
    """The finding about a comment that allows nothing."""
    here = [d for d in kept if d.code == allowance.code and d.primary.span.path == allowance.path]
    if any(d.is_error and d.primary.span.line == allowance.line for d in here):
        message = f"{allowance.code} is an error here, and an error cannot be allowed"
        return warning("Q0412", message, allowance.span, help="mend the line, and take the comment out")
    message = f"there is no {allowance.code} on line {allowance.line} to allow"
    return warning("Q0412", message, allowance.span, help="take the comment out")
