"""Fields of a match: attributes of calls, and operands that are no tensors."""

from __future__ import annotations

from typing import Any

from tvm import relax

from qdsl.match.attributes import attributes, plain
from qdsl.match.graph import number_of, operator_name
from qdsl.ops import lookup


class Unanswerable(Exception):
    """A term asks something that this match cannot answer: it counts as false, and says why."""


def call_field(call: relax.Call, name: str) -> Any:
    """An attribute of a call, or an operand that is no tensor (a shape, axes, sizes) under its operator's name for
    it."""
    values = attributes(call)
    if name in values:
        return values[name]
    known = lookup(operator_name(call) or "")
    for position, operand in enumerate(known.operands if known else ()):
        if operand.name == name and position < len(call.args):
            return operand_field(call.args[position])
    raise Unanswerable(f"{operator_name(call)} has no attribute {name}")


def operand_field(operand: relax.Expr) -> Any:
    """The value of an operand that is no tensor: a number or a list of numbers."""
    number = number_of(operand)
    if number is not None:
        return number
    if isinstance(operand, relax.ShapeExpr):
        return [plain(v) for v in operand.values]
    if isinstance(operand, relax.Tuple):
        return [operand_field(f) for f in operand.fields]
    return plain(operand)
