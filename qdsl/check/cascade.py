"""One mistake, one finding: findings that only follow from another are left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program

DERIVED = {"Q0304", "Q0305", "Q0306", "Q0308", "Q0311"}
"""Types of expressions: not to be trusted where names or operators of the item are unknown."""

UNSOUND = {"Q0101", "Q0102", "Q0103", "Q0105", "Q0201", "Q0202", "Q0204", "Q0206", "Q0302"}
"""Findings that leave types of their item unknown."""

FOLLOWS = {"Q0105": {"Q0302"}, "Q0401": {"Q0302"}}
"""Codes that say nothing new about a name of which one of the others speaks already."""


def without_consequences(found: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """The findings that stand for mistakes of their own."""
    every = list(found)
    place = _Items(program)
    by_item: dict[int, list[Diagnostic]] = {}
    for finding in every:
        by_item.setdefault(place.of(finding), []).append(finding)
    return [f for f in every if not _follows(f, by_item[place.of(f)])]


def _follows(finding: Diagnostic, beside: list[Diagnostic]) -> bool:
    """Whether a finding follows from others on the same item."""
    code, name = finding.code, finding.primary.span.text
    if code in DERIVED and any(o.is_error and o.code in UNSOUND for o in beside):
        return True
    if code in FOLLOWS and _speaks_of(name, FOLLOWS[code], beside):
        return True
    if code == "Q0203" and not is_result(finding) and _speaks_of(name, {"Q0401"}, beside):
        return True
    if code == "Q0203":
        # An operand without a mark is an error; a match that is no pattern has read nothing as it was meant.
        unmarked = not is_result(finding) and _speaks_of(name, {"Q0301"}, beside)
        return unmarked or any(o.code == "Q0204" for o in beside)
    if code == "Q0301" and any(is_result(o) and o.primary.span.text == name for o in beside):
        return True  # a result that nobody wants is not to be marked but left out
    misspelt = {o.help for o in beside if o.code == "Q0201" and o.help}
    return code in ("Q0301", "Q0401") and f"did you mean {name}?" in misspelt


def is_result(finding: Diagnostic) -> bool:
    """Whether a finding says that a result of the match is never used."""
    return finding.code == "Q0203" and finding.help == "write _ in its place"


def _speaks_of(name: str, codes: set[str], beside: list[Diagnostic]) -> bool:
    """Whether a finding of one of these codes points at the name."""
    spans = (s for o in beside if o.code in codes for s in (o.primary.span, *(x.span for x in o.secondary)))
    return any(s.text == name for s in spans)


class _Items:
    """Which item of the program a finding is about."""

    def __init__(self, program: Program) -> None:
        self.starts: dict[str, list[int]] = {}
        self.numbers: dict[str, list[int]] = {}
        for number, item in enumerate(program.items):
            self.starts.setdefault(item.span.path, []).append(item.span.start)
            self.numbers.setdefault(item.span.path, []).append(number)

    def of(self, finding: Diagnostic) -> int:
        """The item's number, or -1 before the first."""
        span = finding.primary.span
        starts = self.starts.get(span.path, [])
        index = bisect_right(starts, span.start) - 1
        return self.numbers[span.path][index] if index >= 0 else -1
