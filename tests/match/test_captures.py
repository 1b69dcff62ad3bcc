"""What a match says its names stand for: put back into the clause, they give the root again."""

from __future__ import annotations

from hypothesis import given, note
from hypothesis import strategies as st
from tvm import relax

from qdsl.match.bind import same_number
from qdsl.match.found import Match
from qdsl.match.graph import Graph, is_constant, number_of, operator_name
from qdsl.match.pattern import Capture, Item, ListOf, Literal, Operator, Parts, Pattern

from .examples import examples
from .graphs import graphs
from .patterns import Cutter, book_of


def gives(graph: Graph, match: Match, pattern: Pattern, expr: relax.Expr) -> bool:
    """Whether a pattern, with its names replaced by what they stand for, is the expression."""
    if isinstance(pattern, Capture):
        return bool(match.value(pattern.name).same_as(expr))
    if isinstance(pattern, Literal):
        seen = number_of(expr)
        return seen is not None and same_number(seen, pattern.value)
    value = graph.value_of.get(expr, expr) if isinstance(expr, relax.Var) else expr
    if isinstance(pattern, Parts):
        return all(f.same_as(v) for f, v in zip(value.fields, match.values(pattern.name), strict=True))
    if isinstance(pattern, ListOf):
        return all(gives(graph, match, p, f) for p, f in zip(pattern.elements, value.fields, strict=True))
    if isinstance(pattern, Item):
        item = isinstance(value, relax.TupleGetItem) and value.index == pattern.index
        return item and gives(graph, match, pattern.call, value.tuple_value)
    assert isinstance(pattern, Operator)
    return operator_name(value) == pattern.op and any(
        all(gives(graph, match, p, a) for p, a in zip(pattern.operands, order, strict=False))
        for order in ([value.args, value.args[::-1]] if pattern.commutative else [value.args])
    )


@examples(200)
@given(st.data())
def test_names_put_back_give_the_root(data: st.DataObject) -> None:
    drawn = data.draw(graphs())
    graph = drawn.graph
    text = Cutter(data.draw, graph).clause(data.draw(st.sampled_from(drawn.roots)))
    note(text)
    book, compiled = book_of(text)
    known = {*graph.order, *graph.function.params}
    for root in drawn.roots:
        for match in book.matches(graph, compiled, root) if book.at(graph, root) else ():
            assert gives(graph, match, compiled.root, root)
            values = [v for name in match.captures for v in match.values(name)]
            assert all(is_constant(v) or number_of(v) is not None or v in known for v in values)
            assert root not in match.interior
            assert not set(match.interior) & set(graph.function.params)
            inside = {root, *match.interior}
            for name in match.boundary:
                assert not inside.intersection(v for v in match.values(name) if isinstance(v, relax.Var))
