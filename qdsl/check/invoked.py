"""Calls of guards, builders and defs: arity and kinds of arguments (Q0102), and what lookup applies (Q0101, Q0206)."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.attributes import no_attributes, source_operators
from qdsl.check.builtins import Builtin
from qdsl.check.context import Context
from qdsl.check.finding import counted, error, meant
from qdsl.check.references import AXIS_LETTER, dotted_name
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.nearest import nearest
from qdsl.ops import suggest

EXAMPLES = {
    "value": "a name of the match",
    "values": "names of the match",
    "axis": "an axis letter such as C",
    "along": "an axis letter such as C, or a name of the match",
    "dtype": "a dtype such as int32",
    "result": "a name of the match",
}


def check_builtin(call: tree.Call, builtin: Builtin, context: Context) -> Iterator[Diagnostic]:
    """A guard or builder with its arguments."""
    if call.commutative:
        text = f"{call.func} is no commutative operator"
        yield error("Q0102", text, call.span, help=f"write {builtin.signature}")
        return
    given = len(call.positional)
    if given < builtin.fewest or (builtin.most is not None and given > builtin.most):
        text = f"{call.func} takes {_range(builtin)}, not {given}"
        yield error("Q0102", text, call.span, help=f"write {builtin.signature}: {builtin.doc}")
        return
    if not builtin.attributes:
        for argument in call.args:
            if isinstance(argument, tree.Keyword | tree.AttributesOf):
                yield error("Q0103", f"{call.func} has no attributes", argument.span, help=f"write {builtin.signature}")
    for index, argument in enumerate(call.positional):
        yield from _argument(argument, builtin, index, context)
    for argument in call.args:
        if (
            isinstance(argument, tree.AttributesOf)
            and builtin.attributes
            and source_operators(argument, context) is None
        ):
            yield no_attributes(argument, context)


def _range(builtin: Builtin) -> str:
    if builtin.most is None:
        return "one argument or more"
    if builtin.fewest == builtin.most:
        return counted(builtin.most, "argument")
    return f"{builtin.fewest} to {builtin.most} arguments"


def _argument(argument: tree.Node, builtin: Builtin, index: int, context: Context) -> Iterator[Diagnostic]:
    kind = builtin.kind_of(index)
    if kind == "function":
        yield from _function(argument, context)
        return
    fits = {
        "value": isinstance(argument, tree.Name),
        "result": isinstance(argument, tree.Name),
        "values": isinstance(argument, tree.Name | tree.Spread),
        "axis": isinstance(argument, tree.Name) and AXIS_LETTER.fullmatch(argument.id) is not None,
        "along": isinstance(argument, tree.Name),
        "dtype": isinstance(argument, tree.DType),
    }.get(kind, not isinstance(argument, tree.Spread | tree.String | tree.DType))
    if context.clause == "def" and isinstance(argument, tree.Name):
        return
    if not fits:
        text = f"{builtin.parameters[min(index, len(builtin.parameters) - 1)].name} of {builtin.name} is "
        text += f"{EXAMPLES.get(kind, 'a value')}, not {argument.span.text}"
        yield error("Q0102", text, argument.span, help=f"write {builtin.signature}: {builtin.doc}")


def _function(argument: tree.Node, context: Context) -> Iterator[Diagnostic]:
    """What lookup applies: the name after `for`, a def of one parameter, or an operator of one tensor."""
    name = dotted_name(argument)
    if name is None:
        text = "lookup applies an operator or a def, by its name"
        yield error("Q0102", text, argument.span, help="give the expression a name: def f(x) = ...")
        return
    if name in context.unread:
        return
    if name in context.defs:
        parameters = len(context.defs[name].parameters)
        if parameters != 1:
            text = f"lookup applies a function of one value, and {name} has {counted(parameters, 'parameter')}"
            others = [(context.defs[name].name_span, "defined here")]
            yield error("Q0102", text, argument.span, others=others, help="write a def of one parameter")
        return
    operators = context.operators(name)
    for operator in operators:
        if operator.required_tensors != 1 or operator.results != 1 or operator.operands[0].kind != "tensor":
            text = f"lookup applies a function of one value, and {operator.signature} is none"
            yield error("Q0102", text, argument.span, help=f"write a def: def f(x) = {operator.name}(...)")
            return
    if operators or context.is_each(name):
        return
    near = nearest(name, context.defs)
    if near is not None:
        text = f"there is no def or operator {name}"
        yield error("Q0206", text, argument.span, help=meant(name, context.defs))
    else:
        help = str(suggest(name)) or "write a def, or an operator of one value such as sigmoid"
        yield error("Q0101", f"there is no operator or def {name}", argument.span, help=help)


def check_def_call(call: tree.Call, definition: tree.Def, context: Context) -> Iterator[Diagnostic]:
    """A def takes as many values as it has parameters."""
    parameters, given = len(definition.parameters), len(call.positional)
    if given == parameters and len(call.args) == given and not call.commutative:
        return
    shown = f"{call.func}({', '.join(p.id for p in definition.parameters)})"
    text = f"{call.func} takes {counted(parameters, 'value')}, not {given}"
    if given == parameters:
        text = f"{call.func} is a def, and takes its values in order and nothing else"
    others = [(definition.name_span, "defined here")]
    yield error("Q0102", text, call.span, others=others, help=f"write {shown}")
