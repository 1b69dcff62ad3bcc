"""What a failing test shows: what was tried and refused, and the graph after annotate and after realize, a line an
operator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.lang import tree
from qdsl.match.attributes import attributes
from qdsl.match.graph import array_of, dtype_of, is_constant, number_of, operator_name, shape_of
from qdsl.ops import lookup
from qdsl.passes.plan import Decision
from qdsl.passes.realize import realize_module
from qdsl.passes.rebuild import main_graph
from qdsl.ruletest.outcome import Outcome
from qdsl.ruletest.worst import Worst

SHOWN_LABELS = ("rule", "scheme", "on_scale", "zero", "zero_in", "zero_out", "axis")
"""Of our own operators' many attributes, those that tell formats apart."""


def describe(outcome: Outcome, item: tree.Rule | tree.Fold, worst: Worst | None) -> str:
    """All that helps to see why a test failed."""
    parts = [*([f"worst element {worst}"] if worst is not None else []), "tried:", *_tried(outcome, item)]
    if isinstance(item, tree.Fold):
        parts += ["folded:", graph_text(outcome.folded)]
    else:
        parts += ["annotated:", graph_text(outcome.annotated.module)]
        if outcome.fired(item):
            program = outcome.rules.program
            parts += ["realized:", graph_text(realize_module(outcome.simulated, program.rules, program.defs))]
    return "\n".join(parts)


def _tried(outcome: Outcome, item: tree.Rule | tree.Fold) -> Iterator[str]:
    if isinstance(item, tree.Fold):
        for root, refused in outcome.trace.refused.items():
            yield from (f"  %{root}: {a.rule} refused: {a.reason}" for a in refused)
        yield from (f"  %{f.root}: {f.fold} applied" for f in outcome.trace.applied)
        return
    for decision in outcome.decisions(item):
        yield from decision_lines(decision)


def decision_lines(decision: Decision) -> Iterator[str]:
    """An operator, what became of it, and the rules that were tried there."""
    by = f" by {decision.rule}" if decision.rule else ""
    yield f"  %{decision.var} {decision.op}: {decision.outcome}{by}"
    for attempt in decision.attempts:
        said = "fired" if attempt.fired else f"refused: {attempt.reason} ({attempt.place or attempt.span})"
        yield f"    {attempt.rule} {said}"


def graph_text(module: IRModule) -> str:
    """The bindings of a module's main function, one a line: `%y: int32[1, 4] = matmul(%x, const int8[8, 4])`."""
    graph = main_graph(module)
    lines = [f"  %{p.name}: {type_text(p)}" for p in graph.function.params]
    for binding in graph.bindings:
        lines.append(f"  %{binding.var.name}: {type_text(binding.var)} = {_value(binding.value)}")
    lines.append(f"  return {', '.join(_operand(o) for o in graph.outputs)}")
    return "\n".join(lines)


def type_text(expr: relax.Expr) -> str:
    """A tensor's dtype and shape, a tuple's in parentheses."""
    if isinstance(expr.ty, relax.TupleType):
        return f"({', '.join(_tensor(f) for f in expr.ty.fields)})"
    return f"{dtype_of(expr)}{list(shape_of(expr) or ())}"


def _tensor(ty: relax.TensorType) -> str:
    return type_text(relax.Var("_", ty))


def _value(value: relax.Expr) -> str:
    if isinstance(value, relax.TupleGetItem):
        return f"{_operand(value.tuple_value)}[{value.index}]"
    if isinstance(value, relax.Call) and operator_name(value) is not None:
        words = [*(_operand(a) for a in value.args), *(f"{k}={v}" for k, v in _telling(value).items())]
        return f"{operator_name(value)}({', '.join(words)})"
    return _operand(value)


def _telling(call: relax.Call) -> dict[str, object]:
    """The attributes that are not at their defaults; of our own operators, those that tell formats apart."""
    if dialect.is_call(call):
        given = dialect.attributes(call)
        return {k: given[k] for k in SHOWN_LABELS if k in given}
    known = lookup(operator_name(call) or "")
    defaults = {a.name: a.default for a in known.attributes} if known else {}
    given = attributes(call)
    inherited = {"out_layout": given.get("data_layout", given.get("layout"))}
    defaults |= {name: value for name, value in inherited.items() if value is not None}
    return {k: v for k, v in given.items() if v not in (None, "") and not _same(v, defaults.get(k))}


def _same(value: object, default: object) -> bool:
    """Whether a value is a default; one number may stand for a list of that number."""
    return value == default or (isinstance(value, list) and bool(value) and _numbers(value) == _numbers(default))


def _numbers(value: object) -> set[object]:
    return set(value) if isinstance(value, list | tuple) else {value}


def _operand(expr: relax.Expr) -> str:
    if isinstance(expr, relax.Var):
        return f"%{expr.name}"
    if isinstance(expr, relax.Tuple):
        return f"({', '.join(_operand(f) for f in expr.fields)})"
    if is_constant(expr):
        array = np.asarray(array_of(expr))
        return f"{array.item():g}" if array.size == 1 else f"const {array.dtype}{list(array.shape)}"
    number = number_of(expr)
    return f"{number:g}" if number is not None else str(expr)
