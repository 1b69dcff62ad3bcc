"""One mistake, one finding: findings that only follow from another are left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program

DERIVED = {"Q0304", "Q0305", "Q0306", "Q0308", "Q0311"}
"""Types of expressions: not to be trusted where names or operators of the item are unknown."""

UNSOUND = {"Q0101", "Q0102", "Q0103", "Q0104", "Q0105", "Q0201", "Q0202", "Q0204", "Q0206", "Q0302"}
"""Findings that leave types of their item unknown."""

UNGUARDED = {"Q0309", "Q0310", "Q0313", "Q0411"}
"""What a guard fails to say: not to be told where the guard says something that is not understood."""

FOLLOWS = {"Q0105": {"Q0302"}, "Q0202": {"Q0312"}, "Q0401": {"Q0302"}}
"""Codes that say nothing new about a name of which one of the others speaks already."""


def without_consequences(found: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """The findings that stand for mistakes of their own."""
    every = list(found)
    place = _Items(program)
    by_item: dict[int, list[Diagnostic]] = {}
    for finding in every:
        by_item.setdefault(place.of(finding), []).append(finding)
    kept = []
    for finding in every:
        number = place.of(finding)
        item = program.items[number] if number >= 0 else None
        if not _follows(finding, by_item[number], item):
            kept.append(finding)
    return kept


def _follows(finding: Diagnostic, beside: Sequence[Diagnostic], item: tree.Item | None) -> bool:
    """Whether a finding follows from others on the same item."""
    code, name = finding.code, finding.primary.span.text
    errors = [o for o in beside if o.is_error]
    if code in DERIVED and any(o.code in UNSOUND for o in errors):
        return True
    if code in FOLLOWS and _speaks_of(name, FOLLOWS[code], beside):
        return True
    if code in UNGUARDED and any(_within(o, _guard(item)) for o in errors if o.code in UNSOUND):
        return True
    if code == "Q0203":
        return _unused_follows(finding, beside)
    if code == "Q0301":
        # A result that nobody wants is not to be marked but left out; a mark on no name was meant for a name.
        return any(is_unused_result(o) and o.primary.span.text == name for o in beside) or any(
            o.code == "Q0201" and _within(o, _marks(item)) for o in errors
        )
    if code == "Q0201" and not _within(finding, _match(item)):
        return any(o.code == "Q0102" and _within(o, _match(item)) for o in errors)
    misspelt = {o.help for o in errors if o.code == "Q0201"}
    return code == "Q0401" and f"did you mean {name}?" in misspelt


def _unused_follows(finding: Diagnostic, beside: Sequence[Diagnostic]) -> bool:
    """An operand without a mark is an error; a match that is no pattern has read nothing as it was meant."""
    name = finding.primary.span.text
    if any(o.code == "Q0204" for o in beside):
        return True
    return not is_unused_result(finding) and _speaks_of(name, {"Q0301", "Q0401"}, beside)


def is_unused_result(finding: Diagnostic) -> bool:
    """Whether a finding says that a result of the match is never used."""
    return finding.code == "Q0203" and finding.help == "write _ in its place"


def _speaks_of(name: str, codes: set[str], beside: Sequence[Diagnostic]) -> bool:
    """Whether a finding of one of these codes points at the name."""
    spans = (s for o in beside if o.code in codes for s in (o.primary.span, *(x.span for x in o.secondary)))
    return any(s.text == name for s in spans)


def _within(finding: Diagnostic, nodes: Sequence[tree.Node]) -> bool:
    span = finding.primary.span
    return any(n.span.start <= span.start and span.end <= n.span.end for n in nodes)


def _guard(item: tree.Item | None) -> Sequence[tree.Node]:
    when = item.when if isinstance(item, tree.Rule | tree.Fold | tree.Skip) else None
    return () if when is None else (when,)


def _marks(item: tree.Item | None) -> Sequence[tree.Node]:
    return item.annotate if isinstance(item, tree.Rule) else ()


def _match(item: tree.Item | None) -> Sequence[tree.Node]:
    return item.match if isinstance(item, tree.Rule | tree.Fold) else ()


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
