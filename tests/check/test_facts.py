"""Guards as facts: brought into alternatives without changing what they say."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.check.facts import Fact, alternatives, contradictory, implied
from qdsl.lang import tree
from qdsl.lang.program import load_text

ATOMS = ("quantized(x)", "wanted(y)", "constant(x)", "y.training")


def guard(text: str) -> tuple[tree.Expr | None, Mapping[str, tree.Def]]:
    program = load_text(
        f"def either(a, b) = quantized(a) or constant(b) rule r match y = f(x) when {text} annotate y as float"
    )
    assert not program.diagnostics, program.diagnostics
    return program.rules[0].when, program.defs


formulas = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"({p[0]} and {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} or {p[1]})"),
        inner.map(lambda p: f"(not {p})"),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(formulas)
def test_alternatives_are_true_where_the_guard_is(text: str) -> None:
    expr, defs = guard(text)
    found = alternatives(expr, defs)
    subjects = {atom: guard(atom)[0] for atom in ATOMS}
    for values in itertools.product((0, 1), repeat=len(ATOMS)):
        world = {subjects[atom]: value for atom, value in zip(ATOMS, values, strict=True)}
        python = text
        for atom, value in zip(ATOMS, values, strict=True):
            python = python.replace(atom, str(bool(value)))
        holds = any(all(world[f.subject] == f.value for f in facts) for facts in found)
        assert holds == eval(python)


@pytest.mark.parametrize(
    ("text", "fact", "holds"),
    [
        ("constant(x, y)", "constant(y)", True),
        ("constant(x) or constant(x) and wanted(y)", "constant(x)", True),
        ("constant(x) or wanted(y)", "constant(x)", False),
        ("not (not constant(x))", "constant(x)", True),
        ("not (wanted(y) or constant(x))", "not constant(x)", True),
        ("either(x, x) and not quantized(x)", "constant(x)", True),
        ("not y.training", "y.training == false", True),
        ("y.training == 0", "not y.training", True),
        ("not y.axis == 1", "y.axis != 1", True),
        ("1 == y.axis", "y.axis == 1", True),
        ("2 > y.axis", "y.axis < 2", True),
    ],
)
def test_implied(text: str, fact: str, holds: bool) -> None:
    (wanted,) = implied(*guard(fact))
    assert (wanted in implied(*guard(text))) == holds


def axis(op: str, value: object) -> Fact:
    return Fact.field("y", "axis", op, value)


@pytest.mark.parametrize("a", [axis(op, v) for op in ("==", "!=", "<", "<=", ">", ">=") for v in (0, 1, 2)])
@pytest.mark.parametrize("b", [axis(op, v) for op in ("==", "!=", "<", "<=", ">", ">=") for v in (0, 1, 2)])
def test_contradictions_are_those_of_numbers(a: Fact, b: Fact) -> None:
    """Over a dense range: attributes may be floats, so x > 0 and x < 1 can both hold."""
    compare = {
        "==": lambda x, v: x == v, "!=": lambda x, v: x != v, "<": lambda x, v: x < v,
        "<=": lambda x, v: x <= v, ">": lambda x, v: x > v, ">=": lambda x, v: x >= v,
    }  # fmt: skip
    worlds = [n / 2 for n in range(-2, 7)]
    both = any(compare[a.op](x, a.value) and compare[b.op](x, b.value) for x in worlds)
    assert contradictory(frozenset({a, b})) == (not both)


def test_attributes_of_other_types_do_not_compare_in_order() -> None:
    assert contradictory(frozenset({axis("==", "NCHW"), axis("==", "NHWC")}))
    assert not contradictory(frozenset({axis("!=", "NCHW"), axis("==", "NHWC")}))
    assert contradictory(frozenset({axis("==", (1, 1)), axis("==", (2, 2))}))


def test_many_alternatives_say_what_they_have_in_common() -> None:
    text = " and ".join(["constant(x)", *(f"(rank(x) == {n} or rank(y) == {n})" for n in range(10))])
    assert Fact.call("constant", tree.Name(guard(text)[0].span, "x")) in implied(*guard(text))  # type: ignore[union-attr]
