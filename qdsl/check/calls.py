"""Calls: unknown operators (Q0101), and the way from a called name to the checks of what it is."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.arguments import check_arguments
from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.context import Context
from qdsl.check.finding import error, meant
from qdsl.check.invoked import check_builtin, check_def_call
from qdsl.check.references import builtin_of
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.nearest import nearest
from qdsl.lang.source import Span
from qdsl.ops import lookup, suggest


def check_each(each: tree.Each | None) -> Iterator[Diagnostic]:
    """The operators of a `for` list."""
    seen: dict[str, Span] = {}
    for name, span in each.operators if each else ():
        if lookup(name) is None:
            yield unknown_operator(name, span)
        if name in seen:
            text = f"{name} stands in the list twice"
            yield error("Q0202", text, span, "again", others=[(seen[name], "first here")], help="delete one of them")
        seen.setdefault(name, span)


def check_calls(expr: tree.Node, context: Context) -> Iterator[Diagnostic]:
    """Every call in an expression of a clause other than `when`, which has rules of its own."""
    for node in tree.walk(expr):
        if isinstance(node, tree.Call):
            yield from check_call(node, context)


def check_call(call: tree.Call, context: Context) -> Iterator[Diagnostic]:
    """One call: of the name after `for`, a builder, an operator or a def."""
    builtin = context.builtins.get(call.func)
    if context.is_each(call.func):
        yield from check_arguments(call, context)
    elif builtin is not None and (context.clause != "def" or builtin_of(call) is builtin):
        yield from check_builtin(call, builtin, context)
    elif lookup(call.func) is not None:
        if context.clause == "scale":
            text = f"{call.func} is an operator; a scale is made of scales, numbers, constants and count(x, y)"
            yield error("Q0206", text, call.func_span, help="compute it in realize and use affine")
        else:
            yield from check_arguments(call, context)
    elif call.func in context.defs and not context.is_pattern:
        yield from check_def_call(call, context.defs[call.func], context)
    elif call.func not in context.unread:
        yield unknown_function(call.func, call.func_span, context)


def unknown_function(name: str, span: Span, context: Context) -> Diagnostic:
    """A called name that means nothing in its clause: a misspelt builder or def, one out of place, or an operator."""
    if context.is_pattern and name in context.defs:
        text = f"{name} is a def, and a match is made of operators"
        return error("Q0101", text, span, help=f"write out what {name} computes")
    if context.is_pattern:
        return unknown_operator(name, span)
    if name in GUARDS and context.clause != "when":
        return error("Q0206", f"{name} is a guard, and can be asked in `when` only", span, help="move it to the guard")
    if name in BUILDERS:
        return error("Q0206", *_out_of_place(name, context.clause, span), help=_instead(name, context.clause))
    own = [*context.builtins, *context.defs]
    near = nearest(name, own)
    suggestion = suggest(name)
    if (
        near is not None
        and (suggestion.name is None or suggestion.origin is None)
        and not _is_nearer(name, suggestion.name)
    ):
        return error("Q0206", f"there is no builder, def or operator {name}", span, help=meant(name, own))
    if context.clause == "scale":
        return error("Q0206", f"there is no {name} in a scale expression", span, help=meant(name, own))
    return unknown_operator(name, span)


def _is_nearer(name: str, operator: str | None) -> bool:
    """Whether an operator differs in the prefix of its family only: relu for nn.relu."""
    return operator is not None and operator.rpartition(".")[2] == name.rpartition(".")[2]


def _out_of_place(name: str, clause: str, span: Span) -> tuple[str, Span]:
    where = {"rewrite": "a fold rewrites float operators, before any format is chosen"}
    return f"{name} is a builder of realize; {where.get(clause, f'it cannot stand in {clause}')}", span


def _instead(name: str, clause: str) -> str:
    if clause == "rewrite":
        return "write the operators themselves"
    return "a mark's scale may use count(x, y)" if clause == "scale" else f"{name} belongs to the realize clause"


def unknown_operator(name: str, span: Span) -> Diagnostic:
    """Q0101, with the operator that was meant."""
    return error(
        "Q0101", f"there is no operator {name}", span, help=str(suggest(name)) or "qdsl ops lists all operators"
    )
