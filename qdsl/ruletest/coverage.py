"""What the tests of a rule set reached: which rules fired, what every guard term answered, which clauses ran."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qdsl.check.allow import allowances_in
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet
    from qdsl.ruletest.outcome import Outcome

CODE = "Q0408"


@dataclass
class Coverage:
    """Filled while tests run; `of` makes a report of it."""

    fired: set[str] = field(default_factory=set)
    operators: set[tuple[str, str]] = field(default_factory=set)
    """(rule, operator that its `for` variable stood for) of every application."""
    realized: set[str] = field(default_factory=set)
    """Rules whose clause was run and measured."""
    answers: dict[tuple[str, Span], set[bool]] = field(default_factory=dict)
    """What each guard term answered, by rule and place."""

    def record(self, rule: str, term: tree.Expr, answer: bool) -> None:
        """One answer of one guard term."""
        self.answers.setdefault((rule, term.span), set()).add(answer)

    def see(self, outcome: Outcome) -> None:
        """What fired in the graph of one test."""
        for folded in outcome.trace.applied:
            self.fired.add(folded.fold)
        for firing in outcome.annotated.plan.firings.values():
            self.fired.add(firing.rule.name)
            if firing.match.compiled.op is not None:
                self.operators.add((firing.rule.name, firing.match.compiled.op))

    def of(self, rules: RuleSet, names: Container[str] | None = None) -> CoverageReport:
        """The coverage of the rules and folds of the files that were asked for, or of those of some names."""
        items = [i for i in rules.own.items if isinstance(i, tree.Rule | tree.Fold)]
        items = [i for i in items if names is None or i.name in names]
        comments = (a for source in rules.own.sources.values() for a in allowances_in(source))
        allowed = frozenset((a.path, a.line) for a in comments if a.code == CODE)
        return CoverageReport(tuple(self._item(i) for i in items), allowed)

    def _item(self, item: tree.Rule | tree.Fold) -> RuleCoverage:
        terms = []
        for term in tree.conjuncts(item.when):
            seen = self.answers.get((item.name, term.span), set())
            terms.append(TermCoverage(unparse(term), term.span, True in seen, False in seen))
        missing = []
        if item.each is not None and isinstance(item, tree.Rule):
            missing = [(op, span) for op, span in item.each.operators if (item.name, op) not in self.operators]
        has_clause = isinstance(item, tree.Fold) or item.realize is not None
        clause = item.name in self.realized if has_clause else None
        return RuleCoverage(item, item.name in self.fired, clause, tuple(terms), tuple(missing))


@dataclass(frozen=True)
class TermCoverage:
    """One term of a guard."""

    text: str
    span: Span
    seen_true: bool
    seen_false: bool

    @property
    def complete(self) -> bool:
        return self.seen_true and self.seen_false


@dataclass(frozen=True)
class RuleCoverage:
    """What the tests reached of one rule or fold."""

    item: tree.Rule | tree.Fold
    fired: bool
    clause_run: bool | None
    """Whether its realize (rewrite) clause was run and its error measured; None where it has none."""
    terms: tuple[TermCoverage, ...]
    never_stood_for: tuple[tuple[str, Span], ...]
    """Operators of a rule's `for` list that it never fired on."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.item.name,
            **place(self.item.name_span),
            "fired": self.fired,
            "clause_run": self.clause_run,
            "terms": [
                {"term": t.text, **place(t.span), "seen_true": t.seen_true, "seen_false": t.seen_false}
                for t in self.terms
            ],
            "operators_never_fired": [op for op, _ in self.never_stood_for],
        }

    def findings(self) -> Iterator[Diagnostic]:
        """What is missing: the rule itself, else its clause, terms and operators."""
        item, word = self.item, "rule" if isinstance(self.item, tree.Rule) else "fold"
        if not self.fired:
            advice = f'add: test {item.name} "..." given ... expect fires'
            yield _finding("warning", f"no test makes the {word} {item.name} fire", item.name_span, advice)
        elif self.clause_run is False:
            clause = "realize" if isinstance(item, tree.Rule) else "rewrite"
            advice = "add to a test in which it fires: error <= 1 step"
            yield _finding("warning", f"no test runs the {clause} clause of {item.name}", item.name_span, advice)
        if self.fired or any(t.seen_true or t.seen_false for t in self.terms):
            for term in self.terms:
                yield from _term(item, term)
        if self.fired:
            for op, span in self.never_stood_for:
                text = f"no test makes {item.name} fire on {op}"
                yield _finding("note", text, span, f"`qdsl verify {item.name}` tries all of its operators")


@dataclass(frozen=True)
class CoverageReport:
    """The coverage of a rule set."""

    rules: tuple[RuleCoverage, ...]
    allowed: frozenset[tuple[str, int]] = frozenset()
    """(file, line) of lines with a comment `# qdsl: allow Q0408`: no test can get there, and their author knows it."""

    @property
    def complete(self) -> bool:
        return all(f.severity != "warning" for f in self.findings())

    def findings(self) -> list[Diagnostic]:
        """All that is missing and not allowed to be, as Q0408, in the order of the files."""
        found = [finding for rule in self.rules for finding in rule.findings()]
        return [f for f in found if (f.primary.span.path, f.primary.span.line) not in self.allowed]

    def as_dict(self) -> dict[str, Any]:
        return {"complete": self.complete, "rules": [r.as_dict() for r in self.rules]}

    def summary(self) -> str:
        """One line: what share was reached."""
        terms = [t for r in self.rules for t in r.terms]
        clauses = [r.clause_run for r in self.rules if r.clause_run is not None]
        return (
            f"coverage: {sum(r.fired for r in self.rules)} of {len(self.rules)} rules and folds fired, "
            f"{sum(t.complete for t in terms)} of {len(terms)} guard terms seen both true and false, "
            f"{sum(clauses)} of {len(clauses)} clauses run"
        )


def _term(item: tree.Rule | tree.Fold, term: TermCoverage) -> Iterator[Diagnostic]:
    if term.complete:
        return
    if not term.seen_true and not term.seen_false:
        said, advice = "never asked", f'add a test that gets that far: expect skips "{term.text}"'
    elif term.seen_true:
        said, advice = "never seen false", f'add: test {item.name} "..." given ... expect skips "{term.text}"'
    else:
        said, advice = "never seen true", f'add: test {item.name} "..." given ... expect fires'
    yield _finding("warning", f"a guard term of {item.name} is {said} in any test", term.span, advice)


def _finding(severity: str, message: str, at: Span, advice: str) -> Diagnostic:
    return Diagnostic(CODE, severity, message, Label(at, ""), (), advice)


def place(span: Span) -> dict[str, Any]:
    """A place as data."""
    return {"file": span.path, "line": span.line, "column": span.column}
