"""How many results a call has and how many names are there for them (Q0105)."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.context import Context
from qdsl.check.finding import counted, error
from qdsl.check.literals import is_literal, value_of
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.ops import Operator, result_count

NAMES = {"nn.batch_norm": ("y", "_", "_"), "nn.dropout": ("y", "_"), "topk": ("values", "indices")}
"""How the results of the usual operators are named in a help line."""


def check_results(binding: tree.Binding, context: Context) -> Iterator[Diagnostic]:
    """The targets of a binding, and the calls nested in its value, each of which has to be one tensor."""
    if isinstance(binding.value, tree.Call):
        yield from _targets(binding, binding.value, context)
        for argument in binding.value.args:
            yield from check_nested(argument, context)
    else:
        if len(binding.targets) > 1 or isinstance(binding.targets[0], tree.SpreadTarget):
            text = f"this is one value, and there are {counted(len(binding.targets), 'name')} for it"
            if isinstance(binding.targets[0], tree.SpreadTarget):
                text = "this is one value, and ... names several"
            yield error("Q0105", text, binding.span, help="bind one name")
        yield from check_nested(binding.value, context)


def _targets(binding: tree.Binding, call: tree.Call, context: Context) -> Iterator[Diagnostic]:
    spread = [t for t in binding.targets if isinstance(t, tree.SpreadTarget)]
    given = len(binding.targets)
    for operator in context.operators(call.func):
        count = result_count(operator, literals(call))
        if spread:
            if given > 1:
                text = f"{spread[0].id}... names all results of {operator.name}, so nothing can stand beside it"
                yield error("Q0105", text, binding.span, help=f"write {spread[0].id}... = {call.span.text}")
            elif count == 1:
                text = f"{operator.name} returns 1 value, and ... names several"
                yield error("Q0105", text, spread[0].span, help=f"write {spread[0].id} = {call.span.text}")
            return
        if count is None and given == 1 and not isinstance(binding.targets[0], tree.IgnoredTarget):
            name = binding.targets[0].id
            text = f"{operator.name} returns several values, and {name} is one name"
            yield error(
                "Q0105", text, binding.targets[0].span, help=f"write {name}... = {call.span.text}, or a name for each"
            )
            return
        if count is not None and count != given:
            yield _wrong_count(binding, call, operator, count)
            return


def _wrong_count(binding: tree.Binding, call: tree.Call, operator: Operator, count: int) -> Diagnostic:
    written = [t.span.text for t in binding.targets][:count]
    names = (*written, *NAMES.get(operator.name, ("_",) * count)[len(written) :])
    text = f"{operator.name} returns {counted(count, 'value')}, and there {_are(len(binding.targets))} for it"
    at = binding.targets[0].span.to(binding.targets[-1].span)
    others = [(call.func_span, counted(count, "result"))]
    return error(
        "Q0105", text, at, others=others, help=f"write {', '.join(names)} = {' '.join(call.span.text.split())}"
    )


def _are(number: int) -> str:
    return "is 1 name" if number == 1 else f"are {number} names"


def check_nested(expr: tree.Node, context: Context) -> Iterator[Diagnostic]:
    """Calls inside an expression: a call with several results has to be taken apart by a binding of its own."""
    for node in tree.walk(expr):
        if not isinstance(node, tree.Call) or node.func in context.builtins:
            continue
        for operator in context.operators(node.func):
            count = result_count(operator, literals(node))
            if count != 1:
                several = "several values" if count is None else counted(count, "value")
                names = ", ".join(
                    NAMES.get(operator.name, ("y...",) if count is None else ("y",) + ("_",) * (count - 1))
                )
                text = f"{operator.name} returns {several}, and only one can stand here"
                help = f"take it apart first: {names} = {' '.join(node.span.text.split())}"
                yield error("Q0105", text, node.span, help=help)
                break


def literals(call: tree.Call) -> dict[str, object]:
    """The attributes of a call that are written out."""
    return {k.name: value_of(k.value) for k in call.keywords if is_literal(k.value)}
