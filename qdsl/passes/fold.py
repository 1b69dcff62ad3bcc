"""Fold: float to float, before any format is chosen.

Each fold goes over the graph once, in program order, and sees its operands as earlier applications left them; use
counts are those of the rewritten graph. So a chain of a hundred merges is a hundred hits of one sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from tvm import IRModule, relax

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.match import guards
from qdsl.match.book import Book, make_book
from qdsl.match.facts import FloatFacts, layout_of
from qdsl.match.found import Match
from qdsl.match.graph import array_of, dtype_of, is_constant, item_index, number_of, operator_name, origin, shape_of
from qdsl.passes.claims import operators_in, outside_reader
from qdsl.passes.mutable import MutableGraph
from qdsl.passes.plan import Attempt
from qdsl.passes.rebuild import main_graph, rebuild_function, spanned, with_operands
from qdsl.realize.evaluate import Evaluator
from qdsl.realize.host import widened
from qdsl.realize.operators import as_operand
from qdsl.realize.values import Host, Several, Tensor, Value


@dataclass(frozen=True)
class Folded:
    """One application of a fold."""

    fold: str
    span: Span
    root: str
    """The variable that the fold's result is bound to."""
    absorbed: tuple[str, ...]
    """Origins of operators that are no more."""
    kept: tuple[str, ...]
    """Origins of operators that carry the result."""


@dataclass
class FoldTrace:
    """What folding did, and what was tried and refused."""

    applied: list[Folded] = field(default_factory=list)
    refused: dict[str, list[Attempt]] = field(default_factory=dict)
    """By the variable of the root."""


def fold_module(
    module: IRModule,
    folds: Sequence[tree.Fold],
    defs: Mapping[str, tree.Def],
    trace: FoldTrace | None = None,
    record: Callable[[str, tree.Expr, bool], None] | None = None,
) -> IRModule:
    """The module with every fold applied, in the order of the rule files."""
    trace = trace if trace is not None else FoldTrace()
    graph = MutableGraph(main_graph(module))
    for fold in folds:
        book = make_book([fold])
        for root in graph.sequence():
            if root in graph.value_of and isinstance(graph.value_of[root], relax.Call):
                _try_at(graph, book, root, fold, defs, trace, record)

    def write(emit: Callable[[relax.Expr, str], relax.Var]) -> Mapping[relax.Var, relax.Expr]:
        became: dict[relax.Var, relax.Expr] = {}
        names = graph.names()
        for var in graph.sequence():
            value = _renamed(graph.value_of[var], became)
            became[var] = value if isinstance(value, relax.Var) else emit(value, names[var])
        return became

    return rebuild_function(module, graph, write)


def _renamed(value: relax.Expr, became: Mapping[relax.Var, relax.Expr]) -> relax.Expr:
    return with_operands(value, lambda o, _: became.get(o, o) if isinstance(o, relax.Var) else o)


def _try_at(
    graph: MutableGraph,
    book: Book,
    root: relax.Var,
    fold: tree.Fold,
    defs: Mapping[str, tree.Def],
    trace: FoldTrace,
    record: Callable[[str, tree.Expr, bool], None] | None,
) -> None:
    told = None if record is None else (lambda term, answer: record(fold.name, term, answer))
    for compiled in book.at(graph, root):
        matches = list(book.matches(graph, compiled, root))
        near = book.near_miss(graph, compiled, root) if not matches else None
        for match in [near] if isinstance(near, Match) else matches:
            verdict = guards.check(fold.when, match, FloatFacts(graph), defs, record=told)
            if not verdict.holds:
                seen = f" ({verdict.seen})" if verdict.seen else ""
                place = verdict.term.span if verdict.term else None
                reason = f"`{verdict.text}` does not hold{seen}"
                trace.refused.setdefault(str(root.name), []).append(
                    Attempt(fold.name, fold.name_span, False, reason, verdict.text, place)
                )
                continue
            outside = outside_reader(graph, match)
            if outside is not None:
                reason = f"{outside.name}, inside the match, is read outside of it too"
                trace.refused.setdefault(str(root.name), []).append(Attempt(fold.name, fold.name_span, False, reason))
                continue
            _apply(graph, match, fold, defs, trace)
            return


def _apply(graph: MutableGraph, match: Match, fold: tree.Fold, defs: Mapping[str, tree.Def], trace: FoldTrace) -> None:
    root = match.root
    operators = [root, *operators_in(graph, match)]
    by_name = {operator_name(graph.value_of[v]): v for v in reversed(operators)}
    old = {v: graph.value_of[v] for v in operators}
    origins = [o for o in dict.fromkeys(origin(graph.value_of[v]) for v in operators) if o is not None]
    emitted: set[str | None] = set()
    carrier = [root]

    def emit(call: relax.Expr) -> relax.Expr:
        # What is made new (the shift behind a convolution) belongs to the operator that is still there, not to the
        # one that is gone.
        like = by_name.get(operator_name(call), carrier[0])
        carrier[0] = like
        emitted.add(origin(old[like]))
        made = spanned(call, old[like]) if isinstance(call, relax.Call) else call
        return graph.insert(made, root, str(like.name))

    evaluator = Evaluator(
        names={name: captured_value(match, name) for name in match.captures},
        calls={n: p.call for n, p in match.places.items() if p.position == "result"},
        emit=emit,
        defs=defs,
        variable=(fold.each.variable, match.compiled.op) if fold.each and match.compiled.op else None,
    )
    evaluator.run(fold.rewrite)
    interior = [v for v in match.interior if v != root]
    for name in match.results:
        made = results_of(evaluator.names[name], fold)
        for value in match.values(name):
            assert isinstance(value, relax.Var)
            result = made[item_index(graph.value_of[value])] if len(made) > 1 else made[0]
            _bind_result(graph, value, result, fold)
    graph.drop_dead_below([root, *reversed(interior)])
    trace.applied.append(
        Folded(
            fold.name,
            fold.name_span,
            str(root.name),
            tuple(o for o in origins if o not in emitted),
            tuple(o for o in origins if o in emitted),
        )
    )


def _bind_result(graph: MutableGraph, value: relax.Var, result: relax.Expr, fold: tree.Fold) -> None:
    if (shape_of(value), dtype_of(value)) != (shape_of(result), dtype_of(result)):
        raise RuleError(f"{fold.name_span}: {fold.name} gives {result.ty} for {value.ty}")
    fresh = isinstance(result, relax.Var) and result in graph.inserted_at
    if fresh and len(graph.reads(result)) == 0:
        graph.absorb(value, result)
    else:
        graph.replace(value, result)


def results_of(value: Value, item: tree.Fold | tree.Rule) -> list[relax.Expr]:
    """The expressions that a clause's result stands for."""
    if isinstance(value, Several):
        return [t.expr for t in value.items]
    if isinstance(value, Tensor):
        return [value.expr]
    if isinstance(value, Host):
        return [as_operand(value, "float32")]
    raise RuleError(f"{item.name_span}: the result of {item.name} is a vector, not a tensor")


def captured_value(match: Match, name: str) -> Value:
    """A captured name as the evaluator sees it while folding: constants on the host, the rest as tensors."""
    layout = layout_of(match, name)
    values = match.captures[name]
    if isinstance(values, tuple):
        return Several(tuple(Tensor(v) for v in values))
    if is_constant(values):
        return Host(widened(np.asarray(array_of(values))), layout, values)
    number = number_of(values)
    if number is not None:
        return Host(number, None, values)
    if isinstance(values, relax.Var) and isinstance(values.ty, relax.TensorType):
        return Tensor(values, None, layout)
    return Host(None, None, values)
