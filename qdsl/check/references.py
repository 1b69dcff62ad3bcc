"""The names in an expression outside a match, each with the part it plays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.check.builtins import BUILDERS, GUARDS, Builtin
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.ops import lookup

AXIS_LETTER = re.compile(r"[A-Z]")


@dataclass(frozen=True)
class Reference:
    """A name as it stands in an expression."""

    name: str
    span: Span
    part: str
    """
    value       it is read           spread      `parts...`            field     `y` of `y.axis`
    attributes  `**y`                result      y of count(x, y)      axis      an axis letter
    along       an axis letter, or a value where there is one of that name
    function    what lookup applies: an operator or def
    """
    node: tree.Node


def references(expr: tree.Node) -> Iterator[Reference]:
    """The names below an expression in the order they stand."""
    if isinstance(expr, tree.Name):
        yield Reference(expr.id, expr.span, "value", expr)
    elif isinstance(expr, tree.Spread):
        yield Reference(expr.id, expr.span, "spread", expr)
    elif isinstance(expr, tree.AttributesOf):
        yield Reference(expr.id, expr.span, "attributes", expr)
    elif isinstance(expr, tree.Field) and isinstance(expr.base, tree.Name):
        yield Reference(expr.base.id, expr.base.span, "field", expr)
    elif isinstance(expr, tree.Call):
        yield from _in_call(expr)
    else:
        for child in tree.children(expr):
            yield from references(child)


def _in_call(call: tree.Call) -> Iterator[Reference]:
    builtin = builtin_of(call)
    position = 0
    for argument in call.args:
        if isinstance(argument, tree.Keyword | tree.AttributesOf):
            yield from references(argument)
            continue
        kind = builtin.kind_of(position) if builtin is not None and builtin.parameters else "expr"
        position += 1
        dotted = dotted_name(argument) if kind == "function" else None
        if dotted is not None:
            yield Reference(dotted, argument.span, "function", argument)
        elif kind in ("axis", "along", "result") and isinstance(argument, tree.Name):
            yield Reference(argument.id, argument.span, kind, argument)
        else:
            yield from references(argument)


def builtin_of(call: tree.Call) -> Builtin | None:
    """The guard or builder that is called; an operator of the same name (size) is told apart by its arguments."""
    found = GUARDS.get(call.func) or BUILDERS.get(call.func)
    if found is None or lookup(call.func) is None:
        return found
    return found if len(call.positional) >= found.fewest else None


def dotted_name(expr: tree.Node) -> str | None:
    """`nn.gelu` written as an argument, or a plain name; None for anything else."""
    if isinstance(expr, tree.Name):
        return expr.id
    if isinstance(expr, tree.Field):
        base = dotted_name(expr.base)
        return None if base is None else f"{base}.{expr.name}"
    return None
