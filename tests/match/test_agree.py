"""TVM's patterns and our own walk give the same answer, on random graphs, for all stock items and for random patterns.

Whatever the walk finds, DPL has to find. The other way round DPL is looser, and known to be: it holds what a guard says
of constants and what is a string, but leaves numbers, other attributes and unused results to the walk, and it takes
the operands of add and multiply in either order whether the pattern says so or not.
"""

from __future__ import annotations

import re

from hypothesis import given, note
from hypothesis import strategies as st
from tvm import relax

from qdsl.match.bind import bind
from qdsl.match.book import make_book
from qdsl.match.dataflow import dataflow_pattern
from qdsl.match.found import Failure, Match
from qdsl.match.graph import Graph, is_constant
from qdsl.match.pattern import Compiled, Literal, Operator, walk
from qdsl.ruleset import load_rules

from .examples import examples
from .graphs import Drawn, graphs
from .patterns import Cutter, book_of

STOCK = [*load_rules().program.folds, *load_rules().program.rules]
BOOKS = [make_book([item]) for item in STOCK]
OURS_ALONE = re.compile(r"(is|are) (not )?used$|further tensor operands")


def dpl_says(graph: Graph, compiled: Compiled, root: relax.Var) -> bool:
    return bool(dataflow_pattern(compiled).match(graph.value_of[root], graph.var2val))


def walk_says(graph: Graph, compiled: Compiled, root: relax.Var) -> tuple[list[Match], Failure]:
    """The matches in which constants are constant, and how far the others got."""
    failure = Failure()
    found = [
        m
        for m in bind(graph, compiled, root, failure)
        if all(is_constant(v) for name in compiled.constants for v in m.values(name))
    ]
    return found, failure


def left_to_the_walk(compiled: Compiled, failure: Failure) -> bool:
    """Whether the walk may refuse what DPL accepts."""
    parts = list(walk(compiled.root))
    numbers = any(isinstance(p, Literal) for p in parts)
    calls = [p for p in parts if isinstance(p, Operator)]
    attributes = any(not isinstance(v, str) for p in calls for _, v, _ in p.attributes)
    ordered = any(p.op in ("add", "multiply") and not p.commutative for p in calls)
    return numbers or attributes or ordered or bool(OURS_ALONE.search(failure.message))


def assert_agree(graph: Graph, compiled: Compiled, root: relax.Var) -> bool:
    found, failure = walk_says(graph, compiled, root)
    theirs = dpl_says(graph, compiled, root)
    if found:
        assert theirs, "the walk matches, DPL does not"
    elif not left_to_the_walk(compiled, failure):
        assert not theirs, f"DPL matches, the walk says: {failure.message}"
    return bool(found)


@examples(60)
@given(graphs())
def test_stock_items(drawn: Drawn) -> None:
    for book in BOOKS:
        for root in drawn.roots:
            for compiled in book.at(drawn.graph, root):
                assert_agree(drawn.graph, compiled, root)


@examples(300)
@given(st.data())
def test_patterns_cut_from_the_graph(data: st.DataObject) -> None:
    drawn = data.draw(graphs())
    origin = data.draw(st.sampled_from(drawn.roots))
    text = Cutter(data.draw, drawn.graph).clause(origin)
    note(text)
    note(str(drawn.graph.function))
    book, compiled = book_of(text)
    for root in drawn.roots:
        if book.at(drawn.graph, root):
            assert_agree(drawn.graph, compiled, root)
