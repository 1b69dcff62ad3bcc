"""`test` items: what passes, what fails, and what a failure shows."""

from __future__ import annotations

import re

import pytest

from qdsl.errors import RuleError
from qdsl.ruletest.run import TestCase

from .conftest import CONVOLUTION, GIVEN, Rules


def only(rules: Rules, *texts: str) -> TestCase:
    (case,) = rules(CONVOLUTION, *texts).test().cases
    return case


def test_a_rule_that_keeps_its_promises_passes(rules: Rules) -> None:
    text = 'test convolution "same"' + GIVEN + "    expect fires mark w as weight[O] mark x as act error <= 0.5 step"
    case = only(rules, text)
    assert (case.passed, case.message, case.detail) == (True, "", "")


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ('skips "constant(w)"', "convolution fired, and `constant(w)` was expected to fail"),
        ("mark w as weight[I]", "w is weight"),
        ("mark y as wide", "y is acc"),
        ("error < 0 step", "steps, and `error < 0 step` was expected"),
    ],
)
def test_a_line_that_does_not_hold_says_what_was_seen(rules: Rules, expected: str, message: str) -> None:
    case = only(rules, 'test convolution "wrong"' + GIVEN + "    expect " + expected)
    assert not case.passed
    assert message in case.message


def test_a_guard_has_to_fail_by_the_very_term(rules: Rules) -> None:
    guarded = CONVOLUTION.replace("constant(w)", "constant(w) and size(w, I) > 8")
    text = 'test convolution "narrow"' + GIVEN + '    expect skips "constant(w)"'
    (case,) = rules(guarded, text).test().cases
    assert not case.passed
    assert "was refused, but not by `constant(w)`: `size(w, I) > 8` does not hold (size(w, I) is 4)" in case.message


def test_a_failure_shows_what_was_tried_and_the_graphs_and_the_worst_element(rules: Rules) -> None:
    wrong = CONVOLUTION.replace("maximum(x, x.zero)", "maximum(x, 0 - x)")
    text = 'test relu "below zero"' + GIVEN + "              y = nn.relu(c)\n    expect error <= 1 step"
    (case,) = rules(wrong, text).test().cases
    assert not case.passed
    assert re.search(r"worst element at \[0, \d+, \d+, \d+\] of sample \d+: expected 0, got \d", case.detail)
    assert "%y nn.relu: quantized by relu\n    relu fired" in case.detail
    assert "%c: float32[1, 4, 6, 6] = nn.conv2d(%x_act, %c_w_weight, padding=[1, 1, 1, 1])" in case.detail
    assert "int32[1, 4, 6, 6] = nn.conv2d(" in case.detail
    assert len(case.detail.splitlines()) < 40


def test_a_rule_that_does_not_fire_says_who_refused_it(rules: Rules) -> None:
    case = only(rules, 'test relu "on float" given x: float32[1, 4] y = nn.relu(x) expect fires')
    assert case.message == "relu did not fire: x is float here, so there is nothing for y to be like"
    assert "%y nn.relu: float\n    relu refused: x is float here" in case.detail


def test_a_fold_is_compared_with_what_it_folds(rules: Rules) -> None:
    fold = """
        fold twice
            match   s = add{x, a}
                    y = add{s, b}
            when    constant(a, b) and used_once(s)
            rewrite y = x + (a - b)
        test twice "two constants"
            given   x: float32[2, 3]
                    a: const float32[3]
                    b: const float32[3]
                    y = add(add(x, a), b)
            expect  fires error <= 4 step
    """
    (wrong,) = rules(fold).test().cases
    assert "the error is" in wrong.message
    assert "applied" in wrong.detail
    (right,) = rules(fold.replace("a - b", "a + b")).test().cases
    assert right.passed


def test_tests_are_chosen_by_a_pattern(rules: Rules) -> None:
    text = (
        'test convolution "one"' + GIVEN + "    expect fires\n" + 'test convolution "two"' + GIVEN + "    expect fires"
    )
    assert [c.title for c in rules(CONVOLUTION, text).test("tw.").cases] == ["two"]
    with pytest.raises(RuleError, match="is not a regular expression"):
        rules(CONVOLUTION, text).test("(")
