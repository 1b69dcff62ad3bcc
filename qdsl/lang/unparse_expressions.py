"""Expressions, bindings and marks as text, with the fewest parentheses; qdsl.lang.unparse adds the other nodes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from qdsl.lang import tree

OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(9)
"""How tightly an expression binds; an operand that binds looser than its place asks for stands in parentheses."""

PRECEDENCE = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "or": OR, "and": AND}


@singledispatch
def unparse(node: tree.Node) -> str:
    """One line of text for an expression, argument, spec, mark, binding, outcome or item; a file has one for each."""
    raise TypeError(f"{type(node).__name__} is no part of a rule file")


def number_text(value: int | float | bool) -> str:
    """A number as the formatter writes it: true, 3, 0.5, 1e-12."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def binding_strength(node: tree.Node) -> int:
    """Where in the order of operators an expression stands."""
    if isinstance(node, tree.Logic | tree.Binary):
        return PRECEDENCE[node.op]
    if isinstance(node, tree.Compare):
        return COMPARE
    if isinstance(node, tree.Unary):
        return NOT if node.op == "not" else UNARY
    if isinstance(node, tree.Number):
        return UNARY if number_text(node.value).startswith("-") else ATOM
    return POSTFIX if isinstance(node, tree.Field | tree.Along | tree.Call) else ATOM


def _in(node: tree.Node, least: int) -> str:
    """An operand, in parentheses where it binds looser than `least`."""
    text = unparse(node)
    return text if binding_strength(node) >= least else f"({text})"


def _list(nodes: Iterable[tree.Node]) -> str:
    return ", ".join(unparse(node) for node in nodes)


# ---- expressions


@unparse.register(tree.Name)
@unparse.register(tree.NameTarget)
def _(node: tree.Name | tree.NameTarget) -> str:
    return node.id


@unparse.register(tree.Number)
def _(node: tree.Number) -> str:
    return number_text(node.value)


@unparse.register(tree.String)
def _(node: tree.String) -> str:
    return f'"{node.value}"'


@unparse.register(tree.DType)
def _(node: tree.DType) -> str:
    return node.name


@unparse.register(tree.Spread)
@unparse.register(tree.SpreadTarget)
def _(node: tree.Spread | tree.SpreadTarget) -> str:
    return f"{node.id}..."


@unparse.register(tree.List)
def _(node: tree.List) -> str:
    return f"[{_list(node.elements)}]"


@unparse.register(tree.Field)
def _(node: tree.Field) -> str:
    return f"{_base(node.base)}.{node.name}"


@unparse.register(tree.Along)
def _(node: tree.Along) -> str:
    return f"{_base(node.base)}[{node.axis}]"


def _base(node: tree.Node) -> str:
    """What a field or axis is of; a number is set apart, since its digits and a dot would run together."""
    return f"({unparse(node)})" if isinstance(node, tree.Number) else _in(node, POSTFIX)


@unparse.register(tree.Keyword)
def _(node: tree.Keyword) -> str:
    return f"{node.name}={unparse(node.value)}"


@unparse.register(tree.AttributesOf)
def _(node: tree.AttributesOf) -> str:
    return f"**{node.id}"


@unparse.register(tree.Call)
def _(node: tree.Call) -> str:
    return f"{node.func}{{{_list(node.args)}}}" if node.commutative else f"{node.func}({_list(node.args)})"


@unparse.register(tree.Unary)
def _(node: tree.Unary) -> str:
    if node.op == "not":
        return f"not {_in(node.operand, NOT)}"
    # The parser takes a sign directly before a literal as part of the number.
    literal = isinstance(node.operand, tree.Number) and binding_strength(node.operand) == ATOM
    apart = literal and not isinstance(node.operand.value, bool)  # type: ignore[union-attr]
    return f"-({unparse(node.operand)})" if apart else f"-{_in(node.operand, UNARY)}"


@unparse.register(tree.Binary)
def _(node: tree.Binary) -> str:
    strength = PRECEDENCE[node.op]
    return f"{_in(node.left, strength)} {node.op} {_in(node.right, strength + 1)}"


@unparse.register(tree.Compare)
def _(node: tree.Compare) -> str:
    return f"{_in(node.left, SUM)} {node.op} {_in(node.right, SUM)}"


@unparse.register(tree.Logic)
def _(node: tree.Logic) -> str:
    return f" {node.op} ".join(_in(operand, PRECEDENCE[node.op] + 1) for operand in node.operands)


# ---- bindings and marks


@unparse.register(tree.IgnoredTarget)
def _(node: tree.IgnoredTarget) -> str:
    return "_"


@unparse.register(tree.Binding)
def _(node: tree.Binding) -> str:
    return f"{_list(node.targets)} = {unparse(node.value)}"


def _scale(node: tree.SchemeSpec | tree.Like) -> str:
    return "" if node.scale is None else f" = {unparse(node.scale)}"


@unparse.register(tree.SchemeSpec)
def _(node: tree.SchemeSpec) -> str:
    axis = "" if node.axis is None else f"[{node.axis}]"
    return f"{node.scheme}{axis}{_scale(node)}"


@unparse.register(tree.AnySpec)
def _(node: tree.AnySpec) -> str:
    return "any"


@unparse.register(tree.FloatSpec)
def _(node: tree.FloatSpec) -> str:
    return "float"


@unparse.register(tree.FixedSpec)
def _(node: tree.FixedSpec) -> str:
    return f"fixed({_list(node.args)})"


@unparse.register(tree.MarkAs)
def _(node: tree.MarkAs) -> str:
    return f"{_list(node.targets)} as {unparse(node.spec)}"


@unparse.register(tree.Share)
def _(node: tree.Share) -> str:
    return f"share {_list(node.targets)} as {unparse(node.spec)}"


@unparse.register(tree.Like)
def _(node: tree.Like) -> str:
    return f"{_list(node.targets)} like {node.source}{_scale(node)}"
