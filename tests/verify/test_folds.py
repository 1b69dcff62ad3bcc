"""Folds against what they fold: right ones pass, and what a wrong one forgets is found."""

from __future__ import annotations

import pytest

from qdsl.verify import verify

from .conftest import Rules

NORM = """
    fold norm for conv in nn.conv1d, nn.conv2d_transpose
        match     c = conv(x, w)
                  y, _, _ = nn.batch_norm(c, gamma, beta, mean, var)
        when      constant(w, gamma, beta, mean, var) and y.center and y.scale
                  and used_once(c) and not y.training and y.axis == axis(c, C)
        rewrite   gain = gamma / sqrt(var + y.epsilon)
                  y    = conv(x, w * gain[O], **c) + (beta - mean * gain)[C]
"""
TWICE = """
    fold twice
        match     s = add{x, a}
                  y = add{s, b}
        when      constant(a, b) and not constant(x) and used_once(s)
        rewrite   y = x + (a + b)
"""


def test_right_folds_are_right(rules: Rules) -> None:
    report = verify(rules(NORM, TWICE))
    assert [f.text() for f in report.failures] == []
    assert report.untried == ()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("sqrt(var + y.epsilon)", "sqrt(var)"),
        ("not y.training and ", ""),
        (" and y.center and y.scale", ""),
        ("y.axis == axis(c, C)", "y.axis >= 0"),
        ("(beta - mean * gain)", "(beta + mean * gain)"),
        ("conv(x, w * gain[O], **c)", "conv(x, w * gain[O])"),
    ],
)
def test_what_a_fold_forgets_is_found(rules: Rules, right: str, wrong: str) -> None:
    assert right in NORM
    report = verify(rules(NORM.replace(right, wrong)), graphs=8)
    assert report.failures, "a fold that is wrong was let pass"
    failure = report.failures[0]
    assert failure.promise in ("fold", "clause"), failure.text()


def test_the_counterexample_is_one_element(rules: Rules) -> None:
    (failure,) = verify(rules(TWICE.replace("a + b", "a - b"))).failures
    (x,) = failure.operands
    assert max(x.shape) <= 2
    assert not failure.inputs["x"].any(), "zeros show it"
    assert "changes the result" in failure.title
