"""One mistake, one finding: findings that only follow from another are left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program

FOLLOWS = {
    "Q0105": {"Q0302"},
    "Q0203": {"Q0301", "Q0401"},
    "Q0309": {"Q0303"},
    "Q0411": {"Q0405"},
}
"""Codes that say nothing new about a name of which one of the others speaks already."""

DERIVED = {"Q0304", "Q0305", "Q0306", "Q0308", "Q0311"}
"""Types of expressions: not to be trusted where names or operators of the item are unknown."""

UNSOUND = {"Q0101", "Q0102", "Q0103", "Q0105", "Q0201", "Q0202", "Q0204", "Q0206", "Q0302"}
"""Findings that leave types of their item unknown."""


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
    if finding.code in DERIVED and any(o.is_error and o.code in UNSOUND for o in beside):
        return True
    causes = FOLLOWS.get(finding.code, set())
    spoken = {s.text for o in beside if o.code in causes for s in (o.primary.span, *(x.span for x in o.secondary))}
    if finding.primary.span.text in spoken:
        return True
    misspelt = {o.help for o in beside if o.code == "Q0201" and o.help}
    name = finding.primary.span.text
    return finding.code in ("Q0301", "Q0401") and f"did you mean {name}?" in misspelt


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
