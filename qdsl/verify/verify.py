"""verify: is each rule right? Its formats and scales by the checker, its numbers by trying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.nearest import nearest
from qdsl.verify.fold import verify_fold
from qdsl.verify.report import VerifyReport
from qdsl.verify.rule import Verified, verify_rule

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet

GRAPHS = 6
"""Graphs for each rule and each operator of its `for` list."""


def verify(
    rules: RuleSet,
    names: Sequence[str] = (),
    *,
    graphs: int = GRAPHS,
    seed: int = 0,
    told: Callable[[str, int, int], None] = lambda rule, done, total: None,
) -> VerifyReport:
    """Verifies the rules and folds of the files that were asked for, or those of some names.

    Args:
        names: of rules and folds of `rules.program`; RuleError for one that there is not.
        graphs: how many small graphs are tried for each operator.
        told: progress, (rule, done, of how many).

    What the checker reports of types and scales (Q03..) is among the findings, and does not stop the rest: a rule
    that it refuses is tried all the same.
    """
    items = chosen(rules, names)
    found: list[Verified] = []
    for number, item in enumerate(items):
        told(item.name, number, len(items))
        if isinstance(item, tree.Fold):
            found += verify_fold(rules.program, item, graphs, seed)
        else:
            found += verify_rule(rules.program, item, graphs, seed)
    return VerifyReport(tuple(found), tuple(_typed(rules, items)))


def chosen(rules: RuleSet, names: Sequence[str]) -> list[tree.Rule | tree.Fold]:
    """The items of some names, in the order of the files. Raises RuleError for a name that there is not."""
    every = [i for i in rules.program.items if isinstance(i, tree.Rule | tree.Fold)]
    known = {i.name for i in every}
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise RuleError(f"there is no rule or fold {name!r}" + (f"; did you mean {near!r}?" if near else ""))
    if names:
        return [i for i in every if i.name in names]
    return [i for i in rules.own.items if isinstance(i, tree.Rule | tree.Fold)]


def _typed(rules: RuleSet, items: Sequence[tree.Rule | tree.Fold]) -> list[Diagnostic]:
    """The checker's errors on formats and scales of these items."""
    spans = [i.span for i in items]
    return [
        d
        for d in rules.check()
        if d.is_error
        and d.code.startswith("Q03")
        and any(s.path == d.primary.span.path and s.start <= d.primary.span.start < s.end for s in spans)
    ]
