"""Unification finds every piece of a graph that two patterns match: patterns, graphs and a plain matcher at random."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.check.terms import Applied, Builder, Literal, Term, Variable
from qdsl.check.unify import TooComplex, Unifier, unify
from qdsl.lang.program import load_text


def patterns_of(*sums: str) -> st.SearchStrategy[str]:
    """Patterns whose sums are written in the given ways."""
    return st.recursive(
        st.sampled_from(["x", "y", "z", "3", "6"]),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from((*sums, "subtract({}, {})")), inner, inner).map(
                lambda p: p[0].format(p[1], p[2])
            ),
            inner.map(lambda p: f"sigmoid({p})"),
        ),
        max_leaves=4,
    ).filter(lambda text: "(" in text or "{" in text)


EITHER, ORDERED = "add{{{}, {}}}", "add({}, {})"
patterns = patterns_of(EITHER, ORDERED)

Graph = tuple[str, ...] | tuple[str, "Graph"] | tuple[str, "Graph", "Graph"]
graphs = st.recursive(
    st.sampled_from([("a",), ("b",), ("3",), ("6",)]),
    lambda inner: st.one_of(
        st.tuples(st.just("add"), inner, inner),
        st.tuples(st.just("subtract"), inner, inner),
        st.tuples(st.just("sigmoid"), inner),
    ),
    max_leaves=6,
)


def term(text: str, prefix: str) -> Term:
    program = load_text(f"rule r match result = {text} annotate result as float")
    return Builder(prefix, {}).read(program.rules[0].match[0].value)


def matches(pattern: Term, graph: tuple, names: Mapping[str, tuple]) -> list[dict[str, tuple]]:
    """All ways in which a pattern matches a graph."""
    if isinstance(pattern, Variable):
        known = names.get(pattern.key, graph)
        return [{**names, pattern.key: graph}] if known == graph else []
    if isinstance(pattern, Literal):
        return [dict(names)] if graph == (str(pattern.value),) else []
    assert isinstance(pattern, Applied)
    if pattern.operator.name != graph[0] or len(graph) == 1:
        return []
    orders = [pattern.operands, pattern.operands[::-1]] if pattern.either_order else [pattern.operands]
    found = []
    for operands in orders:
        ways = [dict(names)]
        for operand, part in zip(operands, graph[1:], strict=True):
            ways = [w for way in ways for w in matches(operand, part, way)]
        found += ways
    return found


def unifiable(a: Term, b: Term) -> bool:
    return any(True for _ in unify(a, b, Unifier()))


def as_graph(part: Term, state: Unifier) -> tuple:
    """What a term is after unification, variables that are left as leaves of their own."""
    part = state.resolve(part)
    if isinstance(part, Variable):
        return (part.key,)
    if isinstance(part, Literal):
        return (str(part.value),)
    assert isinstance(part, Applied)
    return (part.operator.name, *(as_graph(o, state) for o in part.operands))


@settings(deadline=None, max_examples=60)
@given(patterns, patterns, graphs)
def test_what_both_match_is_found(one: str, other: str, graph: tuple) -> None:
    a, b = term(one, "a"), term(other, "b")
    if matches(a, graph, {}) and matches(b, graph, {}):
        assert unifiable(a, b)


@settings(deadline=None, max_examples=60)
@given(patterns_of(EITHER), patterns_of(EITHER))
def test_what_is_found_both_match(one: str, other: str) -> None:
    """With sums in either order only: an ordered one would settle what the graph is on both sides."""
    a, b = term(one, "a"), term(other, "b")
    for state in unify(a, b, Unifier()):
        graph = as_graph(a, state)
        assert matches(a, graph, {})
        assert matches(b, graph, {})


@settings(deadline=None, max_examples=60)
@given(patterns, patterns)
def test_the_order_of_the_patterns_does_not_matter(one: str, other: str) -> None:
    a, b = term(one, "a"), term(other, "b")
    assert unifiable(a, b) == unifiable(b, a)


@settings(deadline=None, max_examples=60)
@given(patterns)
def test_a_pattern_overlaps_itself(one: str) -> None:
    assert unifiable(term(one, "a"), term(one, "b"))


def test_a_value_is_no_part_of_itself() -> None:
    assert not unifiable(term("subtract(x, sigmoid(x))", "a"), term("subtract(sigmoid(x), x)", "b"))


def test_too_many_orders_are_given_up() -> None:
    """A sum of 32 values against one of which a value is another operator: 2^31 orders, none of which fits."""

    def balanced(leaves: list[str]) -> str:
        if len(leaves) == 1:
            return leaves[0]
        half = len(leaves) // 2
        return f"add{{{balanced(leaves[:half])}, {balanced(leaves[half:])}}}"

    leaves = [f"sigmoid(v{i})" for i in range(32)]
    assert unifiable(term(balanced(leaves), "a"), term(balanced(leaves), "b"))
    with pytest.raises(TooComplex):
        unifiable(term(balanced(leaves), "a"), term(balanced([*leaves[1:], "negative(w)"]), "b"))
