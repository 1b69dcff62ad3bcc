"""Running `test` items. Every line of `expect` is looked at; a failure says what was seen instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qdsl.config import QConfig
from qdsl.errors import QdslError, RuleError
from qdsl.lang import tree
from qdsl.lang.nearest import nearest
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse
from qdsl.ruletest.expect import error_in_steps, fold_error, judge_mark, judge_skips
from qdsl.ruletest.given import build_given, sample_inputs
from qdsl.ruletest.outcome import Outcome, quantize_given

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


def run_tests(rules: RuleSet, pattern: str | None = None) -> TestReport:
    """Runs the tests of the files that were asked for. Raises RuleError for a pattern that is no regular expression."""
    try:
        wanted = re.compile(pattern or "")
    except re.error as error:
        raise RuleError(f"-k {pattern}: no regular expression: {error}") from None
    chosen = [t for t in rules.own.tests if wanted.search(f"{t.rule} {t.title}")]
    return TestReport(tuple(run_test(rules, t) for t in chosen))


def run_test(rules: RuleSet, test: tree.Test) -> TestCase:
    """One test; an error of any kind is a failure with its text."""
    try:
        problems = list(_problems(rules, test))
    except QdslError as error:
        problems = [str(error)]
    return TestCase(test.rule, test.title, not problems, "; ".join(problems), test.span)


def _problems(rules: RuleSet, test: tree.Test) -> Iterator[str]:
    named: dict[str, tree.Rule | tree.Fold] = {i.name: i for i in rules.program.folds}
    named |= {i.name: i for i in rules.program.rules}
    item = named.get(test.rule)
    if item is None:
        near = nearest(test.rule, named)
        yield f"there is no rule {test.rule!r}" + (f"; did you mean {near!r}?" if near else "")
        return
    module = build_given(test, rules.program.defs)
    samples = sample_inputs(test)
    outcome = quantize_given(module, rules, samples, QConfig())
    for expected in test.expect:
        yield from _judge(expected, test, item, outcome, samples)


def _judge(
    expected: tree.Outcome,
    test: tree.Test,
    item: tree.Rule | tree.Fold,
    outcome: Outcome,
    samples: list[dict[str, np.ndarray]],
) -> Iterator[str]:
    fired = outcome.fired(item)
    if isinstance(expected, tree.Fires):
        if not fired:
            yield f"{item.name} did not fire: {outcome.why_not(item)}"
    elif isinstance(expected, tree.Skips):
        yield from judge_skips(expected, item, outcome)
    elif isinstance(expected, tree.ExpectMark):
        yield from judge_mark(expected, item, outcome)
    elif fired:
        error = fold_error(outcome, samples) if isinstance(item, tree.Fold) else error_in_steps(outcome, item, samples)
        if not compare(error, expected.op, expected.steps):
            yield f"the error is {error:.3g} steps, and `{unparse(expected)}` was expected"
    else:
        yield f"there is no error to measure, because {item.name} did not fire"


def compare(value: float, op: str, bound: float) -> bool:
    """Whether a comparison written in a test holds."""
    return {
        "<=": value <= bound, "<": value < bound, ">=": value >= bound, ">": value > bound,
        "==": value == bound, "!=": value != bound,
    }[op]  # fmt: skip
