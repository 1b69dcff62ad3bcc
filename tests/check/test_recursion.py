"""Folds that begin again, and folds that end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qdsl.lang.diagnostics import Diagnostic

ENDS = {
    "an opaque sum": "fold f match s = add{x, a} y = add{s, b} when constant(a, b) and not constant(x) and used_once(s)"
    " rewrite y = x + (a + b)",
    "another operator": "fold f match y = nn.silu(x) rewrite y = x * sigmoid(x)",
    "nothing made": "fold f match y = nn.relu(nn.relu(x)) rewrite y = x",
    "a smaller match": "fold f match y = nn.relu(nn.relu(x)) rewrite y = nn.relu(x)",
    "constants only": "fold f match y = add{x, b} when constant(b) and not constant(x) rewrite y = x * (b + b)",
    "another attribute": "fold f match y = nn.softmax(x, axis=1) rewrite y = nn.softmax(x, axis=2)",
    "an attribute that the guard excludes": "fold f match y = nn.softmax(x) when y.axis != -1"
    " rewrite y = nn.softmax(x)",
    "a comparison of a computed constant": "fold f match y = multiply{x, c} when constant(c) and c < 0"
    " rewrite y = negative(x * -c)",
    "a number that is another": "fold f match y = power(x, 2) rewrite y = power(x, 4)",
    "a computed value where a constant is asked for": "fold f match y = add(x, b) when constant(b) and not constant(x)"
    " rewrite y = add(b, x)",
    "two folds that do not meet": "fold f match y = nn.relu(x) rewrite y = maximum(x, 0)"
    " fold g match y = maximum{x, 1} rewrite y = nn.relu(x)",
}

BEGINS_AGAIN = {
    "the same operator": "fold f match y = nn.conv2d(x, w) when constant(w) rewrite y = nn.conv2d(x, w * 2, **y)",
    "operands in the other order": "fold f match y = add(a, b) rewrite y = b + a",
    "either order": "fold f match y = add{x, b} when constant(b) and not constant(x) rewrite y = add(b, x)",
    "a part of the result": "fold f match y = nn.relu(x) rewrite y = nn.relu(x) + 1",
    "an interior value that is kept": "fold f match s = add{x, a} y = add{s, b} when constant(a, b) and used_once(s)"
    " rewrite y = s + b",
    "by way of a def": "def twice(x) = x + x fold f match y = add(a, b) rewrite y = twice(a)",
    "under one operator of several": "fold f for op in nn.relu, nn.silu match y = op(x) rewrite y = nn.relu(x)",
    "attributes taken over": "fold f match y = nn.softmax(x) when y.axis == 1 rewrite y = nn.softmax(x * 2, **y)",
    "a local": "fold f match y = nn.relu(x) rewrite z = nn.relu(x) y = z * 2",
}


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS.keys())
def test_ends(text: str, codes: Callable[[str], list[str]]) -> None:
    assert "Q0406" not in codes(text)


@pytest.mark.parametrize("text", BEGINS_AGAIN.values(), ids=BEGINS_AGAIN.keys())
def test_begins_again(text: str, said: Callable[[str], list[Diagnostic]]) -> None:
    found = [d for d in said(text) if d.code == "Q0406"]
    assert len(found) == 1
    assert "f -> f" in found[0].message


def test_a_cycle_is_told_once_with_its_path(said: Callable[[str], list[Diagnostic]]) -> None:
    text = """
        fold a match y = nn.relu(x) rewrite y = maximum(x, 0)
        fold b match y = maximum{x, 0} rewrite y = where(x > 0, x, 0)
        fold c match y = where(greater(x, 0), x, 0) rewrite y = nn.relu(x)
    """
    found = [d for d in said(text) if d.code == "Q0406"]
    assert len(found) == 1
    assert "a -> b -> c -> a" in found[0].message
    assert [label.span.text for label in found[0].secondary] == ["b", "c"]
