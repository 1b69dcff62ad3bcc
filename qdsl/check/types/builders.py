"""Typing rules of builders: what a realize clause calls that is no operator of Relax.

centered(x)                  (s, z) -> (s, 0), widened where z may be nonzero
rescale(x, t)                (s, z) -> int32 (t, 0)
requantize(e), affine(x, gain, offset), lookup(f, x), average(x, ...)       -> the result's format
level(v, x)                  the code of the number v in the format of x
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qdsl.check.types import ranges
from qdsl.check.types.agree import WIDE
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Invocation, Operand, Scope
from qdsl.check.types.values import UNKNOWN, Code, Many, Quantity, Raw, Real, Type
from qdsl.lang import tree

WIDENED = {"int4": "int8", "uint4": "int8", "int8": "int16", "uint8": "int16", "int16": WIDE, "uint16": WIDE}
"""The dtype that holds the difference of any two codes."""

BUILDER_SLOTS: dict[str, tuple[str, ...]] = {
    "centered": ("x",),
    "requantize": ("e",),
    "rescale": ("x", "s"),
    "affine": ("x", "gain", "offset"),
    "lookup": ("f", "x"),
    "level": ("v", "x"),
    "average": ("x",),
}
"""The names of a builder's arguments."""


def integers(scope: Scope, call: Invocation, position: int) -> Quantity | None:
    """The operand that a builder reads, or None: Q0304 for floats, Q0305 for integers without a scale."""
    operand = call.operands.get(position)
    if operand is None or isinstance(operand.type, Quantity):
        return operand.type if operand and isinstance(operand.type, Quantity) else None
    if isinstance(operand.type, Real):
        _refuse(scope, call, operand, "Q0304", f"{call.name} reads integers, not float32", _mark_help(scope, operand))
    if isinstance(operand.type, Raw):
        origin = f"{operand.type.origin} has no typing rule, and its result no scale" if operand.type.origin else ""
        message = origin or f"{call.name} reads integers on a scale"
        _refuse(scope, call, operand, "Q0305", message, "mark the result on a scale: y as wide = x.scale")
    return None


def _refuse(scope: Scope, call: Invocation, operand: Operand, code: str, message: str, help: str) -> None:
    scope.findings.add(
        code, message, operand.expr.span, scope.findings.shows(operand.expr, operand.type).message, help=help
    )


def _mark_help(scope: Scope, operand: Operand) -> str:
    x = text_of(operand.expr)
    named = isinstance(operand.expr, tree.Name) and scope.marks.is_marked(operand.expr.id)
    return f"mark {x} with a scheme or as any" if named else "compute it in integers, or mark the result float"


def centered(scope: Scope, call: Invocation) -> Type:
    """The zero point removed, widened only where it may be nonzero."""
    value = integers(scope, call, 0)
    if value is None or value.centered:
        return value or UNKNOWN
    return replace(
        value, zero=0, dtype=WIDENED.get(value.dtype, value.dtype), codes=ranges.center(value.codes, value.zero)
    )


def rescale(scope: Scope, call: Invocation) -> Type:
    """int32 on the scale named."""
    value = integers(scope, call, 0)
    target = call.operands.get(1)
    if value is None or target is None:
        return UNKNOWN
    scale = scope.marks.scale_reader(scope.values).read(target.expr)  # type: ignore[arg-type]
    return UNKNOWN if scale is None else Quantity(WIDE, scale, 0, unit=value.unit)


def requantize(scope: Scope, call: Invocation) -> Type:
    """The same value in the result's format."""
    value = integers(scope, call, 0)
    made = onto_result(scope, call)
    return replace(made, unit=value.unit) if value is not None and isinstance(made, Quantity) else made


def affine(scope: Scope, call: Invocation) -> Type:
    """x * gain + offset in the result's format; gain and offset are real numbers."""
    value = integers(scope, call, 0)
    for position in (1, 2):
        operand = call.operands.get(position)
        if operand is not None and isinstance(operand.type, Quantity | Raw | Code):
            what = ("gain", "offset")[position - 1]
            help = (
                f"mark {text_of(operand.expr)} as float"
                if isinstance(operand.expr, tree.Name)
                else "compute it in float"
            )
            _refuse(scope, call, operand, "Q0304", f"the {what} of affine is a real number", help)
            return UNKNOWN
    return UNKNOWN if value is None else onto_result(scope, call)


def lookup(scope: Scope, call: Invocation) -> Type:
    """A function of x's real value in the result's format."""
    return UNKNOWN if integers(scope, call, 1) is None else onto_result(scope, call)


def average(scope: Scope, call: Invocation) -> Type:
    """An average in the result's format."""
    return UNKNOWN if integers(scope, call, 0) is None else onto_result(scope, call)


def level(scope: Scope, call: Invocation) -> Type:
    """A number as a code."""
    value = integers(scope, call, 1)
    number = call.operands.get(0)
    if number is not None and isinstance(number.type, Quantity | Raw | Code):
        _refuse(scope, call, number, "Q0304", "level takes a real number", "write level(number, x)")
        return UNKNOWN
    return UNKNOWN if value is None else Code(value)


def onto_result(scope: Scope, call: Invocation) -> Type:
    """The format of the result that the clause is about to define; Q0304 where that is float32."""
    result = scope.result.element if isinstance(scope.result, Many) else scope.result
    if isinstance(result, Quantity):
        return replace(result, unit=None)
    if isinstance(result, Real):
        scope.findings.add(
            "Q0304",
            f"{call.name} yields integers in the result's format, and the result is float32",
            call.node.span,
            help="mark the result with a scheme, or compute in float: astype(x, float32) * x.scale",
        )
    return UNKNOWN


BUILDERS: dict[str, Callable[[Scope, Invocation], Type]] = {
    "centered": centered,
    "rescale": rescale,
    "requantize": requantize,
    "affine": affine,
    "lookup": lookup,
    "average": average,
    "level": level,
}
