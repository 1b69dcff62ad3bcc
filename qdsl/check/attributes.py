"""Attributes: unknown ones (Q0103) and ones of the wrong type (Q0104), as keywords, fields, and taken over with **."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.builtins import FORMAT_FIELDS, SHAPE_FIELDS
from qdsl.check.context import Context
from qdsl.check.finding import error, listed, meant
from qdsl.check.literals import WORDS, accepts, accepts_type, is_literal
from qdsl.check.references import dotted_name
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.source import Span
from qdsl.ops import Operator, lookup

EXAMPLES = {
    "int": "1",
    "float": "0.5",
    "bool": "true",
    "str": '"..."',
    "dtype": "int32",
    "ints": "[0, 1]",
    "floats": "[0.5, 1.0]",
    "int or ints": "[0, 1]",
    "float or floats": "[0.5, 1.0]",
}
"""A value of each type, for attributes without a default to show."""


def check_keyword(name: str, at: Span, value: tree.Expr, operator: Operator, context: Context) -> Iterator[Diagnostic]:
    """`name=value` in a call of the operator."""
    if any(o.name == name for o in operator.tensor_operands):
        text = f"{name} is an operand of {operator.name}, not an attribute"
        yield error("Q0103", text, at, help=f"write it in its place: {operator.signature}")
        return
    type_ = operator.fields.get(name)
    if type_ is None:
        yield unknown_attribute(name, at, operator)
    elif context.is_pattern and not is_literal(value):
        if operator.attribute(name) is not None or not isinstance(value, tree.Name):
            text = f"an attribute in a match is a literal, and {value.span.text} is none"
            yield error(
                "Q0104", text, value.span, help=f"leave it out here and compare the result's field .{name} in `when`"
            )
    elif not accepts(type_, value) or not _fits(type_, value, context):
        text = f"{name} of {operator.name} is {WORDS.get(type_, type_)}, not {value.span.text}"
        yield error("Q0104", text, value.span, help=_example(operator, name, type_))


def _fits(type_: str, value: tree.Expr, context: Context) -> bool:
    """Whether the field of a matched call that is handed on has the right type."""
    if not isinstance(value, tree.Field) or not isinstance(value.base, tree.Name):
        return True
    call = context.maker(value.base.id)
    operators = context.operators(call.func) if call is not None else ()
    return all(accepts_type(type_, o.fields.get(value.name, "object")) for o in operators)


def _example(operator: Operator, name: str, type_: str) -> str:
    attribute = operator.attribute(name)
    default = None if attribute is None else attribute.default
    return f"for example {name}={EXAMPLES.get(type_, '...') if default is None else show(default)}"


def show(value: object) -> str:
    """A default as a rule file writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(show(v) for v in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def unknown_attribute(name: str, at: Span, operator: Operator) -> Diagnostic:
    """Q0103 with the operator's attributes and the nearest."""
    known = list(operator.fields)
    if not known:
        return error("Q0103", f"{operator.name} has no attribute {name}; it has none at all", at, help="leave it out")
    nearest = meant(name, known)
    attributes = f"its attributes are {listed(known)}"
    help = f"{nearest} {attributes}" if nearest.startswith("did you") else attributes
    return error("Q0103", f"{operator.name} has no attribute {name}", at, help=help)


def check_taken_over(argument: tree.AttributesOf, operator: Operator, context: Context) -> Iterator[Diagnostic]:
    """`**c`: c is a result of a matched call, and its attributes are attributes of the operator."""
    if context.is_pattern:
        text = f"**{argument.id} takes over attributes, which a match cannot do"
        yield error("Q0103", text, argument.span, help="leave it out: attributes that are not written match any value")
        return
    sources = source_operators(argument, context)
    if sources is None:
        yield no_attributes(argument, context)
        return
    if operator in sources:
        return
    for source in sources:
        alien = [n for n in source.fields if n not in operator.fields]
        if alien:
            text = f"{operator.name} has no attribute {alien[0]}, which **{argument.id} takes over from {source.name}"
            yield error("Q0103", text, argument.span, help="name the attributes that are to be taken over one by one")
            return


def source_operators(argument: tree.AttributesOf, context: Context) -> tuple[Operator, ...] | None:
    """The operators that a name's attributes may come from; None where it is no result of a call."""
    call = context.maker(argument.id)
    if call is not None:
        return context.operators(call.func)
    known = context.matched.captures if context.matched is not None else {}
    return None if argument.id in known else ()


def no_attributes(argument: tree.AttributesOf, context: Context) -> Diagnostic:
    """Q0103 for `**x` where x comes from outside the match."""
    text = f"{argument.id} comes from outside the match, so there is no call whose attributes ** could take over"
    made = [n for n, c in context.matched.captures.items() if c.call is not None] if context.matched else []
    return error("Q0103", text, argument.span, help=f"results of the match are {listed(made)}")


def check_fields(expr: tree.Node, context: Context) -> Iterator[Diagnostic]:
    """Every `x.name` in an expression of a clause behind a match."""
    for node in tree.walk(expr):
        if isinstance(node, tree.Field) and not is_operator_name(node):
            yield from check_field(node, context)


def is_operator_name(field: tree.Field) -> bool:
    """Whether `nn.gelu` is meant, which only looks like a field."""
    dotted = dotted_name(field)
    return dotted is not None and lookup(dotted) is not None


def check_field(field: tree.Field, context: Context) -> Iterator[Diagnostic]:
    """A field is a part of a value's format or an attribute of the call that made it."""
    if not isinstance(field.base, tree.Name):
        text = f"only names have fields, and {field.base.span.text} is an expression"
        yield error("Q0103", text, field.span, help="bind it to a name in the match")
        return
    name = field.base.id
    if field.name in FORMAT_FIELDS or context.matched is None or name not in context.matched.captures:
        return
    if field.name in SHAPE_FIELDS and context.clause == "when":
        return
    call = context.matched.captures[name].call
    if call is None:
        text = f"{name} comes from outside the match, so no call gives it an attribute {field.name}"
        instead = (
            f"ask {field.name}({name}) in the guard"
            if field.name in (*SHAPE_FIELDS, "rank")
            else "it has scale and zero"
        )
        yield error("Q0103", text, field.span, help=instead)
        return
    for operator in context.operators(call.func):
        if field.name not in operator.fields:
            yield unknown_attribute(field.name, field.span, operator)
            return


def check_comparisons(expr: tree.Node, context: Context) -> Iterator[Diagnostic]:
    """`y.axis == "C"`: a field compared with a literal of another type is never equal to it."""
    for node in tree.walk(expr):
        if not isinstance(node, tree.Compare):
            continue
        for field, value in ((node.left, node.right), (node.right, node.left)):
            if isinstance(field, tree.Field) and isinstance(field.base, tree.Name) and is_literal(value):
                yield from _compared(field, value, context)


def _compared(field: tree.Field, value: tree.Expr, context: Context) -> Iterator[Diagnostic]:
    call = context.maker(field.base.id) if isinstance(field.base, tree.Name) else None
    for operator in context.operators(call.func) if call is not None else ():
        type_ = operator.fields.get(field.name)
        if type_ is not None and not accepts(type_, value):
            text = f"{field.name} of {operator.name} is {WORDS.get(type_, type_)}, and never {value.span.text}"
            yield error("Q0104", text, value.span, help=_example(operator, field.name, type_).replace("=", " == ", 1))
            return
