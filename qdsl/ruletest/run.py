"""Running `test` items. Every line of `expect` is looked at; a failure says what was seen instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qdsl.errors import QdslError, RuleError
from qdsl.lang import tree
from qdsl.lang.nearest import nearest
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse
from qdsl.ruletest.coverage import Coverage
from qdsl.ruletest.expect import judge_mark, judge_skips
from qdsl.ruletest.given import build_given, sample_inputs
from qdsl.ruletest.outcome import Outcome, quantize_given
from qdsl.ruletest.show import describe
from qdsl.ruletest.worst import Worst, fold_error, rule_error

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet


@dataclass(frozen=True)
class TestCase:
    """One `test` item and how it went."""

    __test__ = False

    rule: str
    title: str
    passed: bool
    message: str
    span: Span
    detail: str = ""
    """For a failure: the rules that were tried, the graphs, the worst element; several lines."""


@dataclass(frozen=True)
class TestReport:
    """All tests of a rule set."""

    __test__ = False

    cases: tuple[TestCase, ...]

    @property
    def failed(self) -> tuple[TestCase, ...]:
        return tuple(c for c in self.cases if not c.passed)

    @property
    def passed(self) -> bool:
        return not self.failed


def run_tests(rules: RuleSet, pattern: str | None = None, coverage: Coverage | None = None) -> TestReport:
    """Runs the tests of the files that were asked for; `coverage` is told what they reached.

    Raises RuleError for a pattern that is no regular expression.
    """
    return TestReport(tuple(run_test(rules, t, coverage) for t in chosen_tests(rules, pattern)))


def chosen_tests(rules: RuleSet, pattern: str | None) -> list[tree.Test]:
    """The tests whose rule or title a pattern matches. Raises RuleError for one that is no regular expression."""
    try:
        wanted = re.compile(pattern or "")
    except re.error as error:
        raise RuleError(f"{pattern!r} is not a regular expression: {error}") from None
    return [t for t in rules.own.tests if wanted.search(f"{t.rule} {t.title}")]


def run_test(rules: RuleSet, test: tree.Test, coverage: Coverage | None = None) -> TestCase:
    """One test; an error of any kind is a failure with its text."""
    run = _Run(rules, test, coverage)
    try:
        problems = list(run.problems())
        detail = run.detail() if problems else ""
    except QdslError as error:
        problems, detail = [str(error)], ""
    return TestCase(test.rule, test.title, not problems, "; ".join(problems), test.span, detail)


@dataclass
class _Run:
    rules: RuleSet
    test: tree.Test
    coverage: Coverage | None
    outcome: Outcome | None = None
    item: tree.Rule | tree.Fold | None = None
    worst: Worst | None = field(default=None)

    def problems(self) -> Iterator[str]:
        program = self.rules.program
        named: dict[str, tree.Rule | tree.Fold] = {f.name: f for f in program.folds}
        named |= {r.name: r for r in program.rules}
        self.item = named.get(self.test.rule)
        if self.item is None:
            near = nearest(self.test.rule, named)
            yield f"there is no rule {self.test.rule!r}" + (f"; did you mean {near!r}?" if near else "")
            return
        module = build_given(self.test, program.defs)
        record = None if self.coverage is None else self.coverage.record
        self.outcome = quantize_given(module, self.rules, sample_inputs(self.test), record)
        if self.coverage is not None:
            self.coverage.see(self.outcome)
        for expected in self.test.expect:
            yield from self._judge(expected, self.item, self.outcome)

    def _judge(self, expected: tree.Outcome, item: tree.Rule | tree.Fold, outcome: Outcome) -> Iterator[str]:
        if isinstance(expected, tree.Fires):
            if not outcome.fired(item):
                yield f"{item.name} did not fire: {outcome.why_not(item)}"
        elif isinstance(expected, tree.Skips):
            yield from judge_skips(expected, item, outcome)
        elif isinstance(expected, tree.ExpectMark):
            yield from judge_mark(expected, item, outcome)
        elif outcome.fired(item):
            worst = fold_error(outcome) if isinstance(item, tree.Fold) else rule_error(outcome, item)
            if self.coverage is not None:
                self.coverage.realized.add(item.name)
            if not compare(worst.steps, expected.op, expected.steps):
                self.worst = worst
                yield f"the error is {worst.steps:.3g} steps, and `{unparse(expected)}` was expected"
        else:
            yield f"there is no error to measure, because {item.name} did not fire"

    def detail(self) -> str:
        if self.outcome is None or self.item is None:
            return ""
        return describe(self.outcome, self.item, self.worst)


def compare(value: float, op: str, bound: float) -> bool:
    """Whether a comparison written in a test holds."""
    return {
        "<=": value <= bound, "<": value < bound, ">=": value >= bound, ">": value > bound,
        "==": value == bound, "!=": value != bound,
    }[op]  # fmt: skip
