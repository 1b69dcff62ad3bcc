"""Typing rules of operators that select or move codes: all operands in one format, which the result has.

    maximum((s, z), (s, z)) = (s, z)        reshape((s, z)) = (s, z)        concat([(s, z), ...]) = (s, z)

A number that is no code is none of these, unless it is 0 and no zero point is in the codes: relu against a literal 0
clips at the wrong place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qdsl.check.types import ranges
from qdsl.check.types.agree import dtypes_differ, floats_among, format_of, is_literal, name_of_format, one_format
from qdsl.check.types.boundary import pinned_attributes
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Invocation, Operand, Scope, quantities
from qdsl.check.types.values import UNKNOWN, Code, Many, Number, Quantity, Raw, Type, Unknown
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label


def select(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """maximum, where, clip, and every move."""
    data = [replace(o, type=o.type.element) if isinstance(o.type, Many) else o for o in data]
    if any(isinstance(o.type, Unknown) for o in data) or floats_among(scope, call, data):
        return UNKNOWN
    raws = [o.type for o in data if isinstance(o.type, Raw)]
    if raws:
        return UNKNOWN if dtypes_differ(scope, call, data) else raws[0]
    found = quantities(data)
    formats = [(o, f) for o in data if (f := format_of(o.type)) is not None]
    if not formats:
        return data[0].type
    first, format = (found or formats)[0]
    numbers = [o for o in data if isinstance(o.type, Number)]
    sound = [_fits(scope, call, first, o) for o in data if o is not first and o not in numbers]
    if not against_numbers(scope, call, first, numbers) or not all(sound):
        return UNKNOWN
    units = {q.unit for _, q in found}
    if not found:
        return Code(format)
    codes = ranges.join([f.codes for _, f in formats])
    return replace(format, codes=codes, unit=units.pop() if len(units) == 1 else None)


def _fits(scope: Scope, call: Invocation, first: Operand, other: Operand) -> bool:
    format, value = format_of(first.type), format_of(other.type)
    assert format is not None
    if value is None:
        return False
    if not one_format(scope, call, first, other):
        return False
    return not (isinstance(other.type, Quantity) and dtypes_differ(scope, call, (first, other)))


def against_numbers(scope: Scope, call: Invocation, integers: Operand, numbers: Sequence[Operand]) -> bool:
    """Whether codes may be held against these numbers; one Q0306 for those against which they may not."""
    format = format_of(integers.type)
    assert format is not None
    wrong = [n for n in numbers if not (is_literal(n.type, 0) and format.centered)]
    if not wrong:
        return True
    x = name_of_format(scope, integers.expr)
    labels = [Label(n.expr.span, f"{text_of(n.expr)} as a real number, not as a code") for n in wrong]
    scope.findings.add(
        "Q0306",
        f"{call.name} of codes and a real number",
        labels[0].span,
        labels[0].message,
        others=[scope.findings.shows(integers.expr, format), *labels[1:]],
        help=f"write {' and '.join(code_of(n, x) for n in wrong)}",
    )
    return False


def code_of(number: Operand, x: str) -> str:
    """How to write a number in the format of x."""
    return f"{x}.zero" if is_literal(number.type, 0) else f"level({text_of(number.expr)}, {x})"


def relu(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """nn.relu on codes is a maximum with a literal 0."""
    value = data[0].type
    if not isinstance(value, Quantity):
        return value if isinstance(value, Raw) else UNKNOWN
    if value.centered:
        return value
    x, zero = text_of(data[0].expr), f"{name_of_format(scope, data[0].expr)}.zero"
    scope.findings.add(
        "Q0306",
        "nn.relu of codes clips at the code 0, not at the zero point",
        data[0].expr.span,
        scope.findings.shows(data[0].expr, value).message,
        help=f"write maximum({x}, {zero})",
    )
    return UNKNOWN


def pad(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """nn.pad fills with a number, by default 0: it must be a code."""
    value = data[0].type
    if not isinstance(value, Quantity):
        return value if isinstance(value, Raw) else UNKNOWN
    mode, fill = call.keywords.get("pad_mode"), call.keywords.get("pad_value")
    if isinstance(mode, tree.String) and mode.value != "constant":
        return value
    if fill is None:
        return value if _fills_zero(scope, call, value) else _wrong_fill(scope, data[0], call.node)
    found = scope.types.get(fill.span) or UNKNOWN
    number = Operand(fill, found)
    code = format_of(found)
    if code is not None and not isinstance(found, Quantity):
        return value if _fits(scope, call, data[0], number) else UNKNOWN
    if isinstance(found, Number):
        return value if against_numbers(scope, call, data[0], [number]) else UNKNOWN
    return UNKNOWN


def _fills_zero(scope: Scope, call: Invocation, value: Quantity) -> bool:
    if not value.centered:
        return False
    if call.inherits is None:
        return True
    pinned = pinned_attributes(scope.rule.when).get(call.inherits, {})
    return pinned.get("pad_value") == 0


def _wrong_fill(scope: Scope, operand: Operand, node: tree.Expr) -> Type:
    x = name_of_format(scope, operand.expr)
    scope.findings.add(
        "Q0306",
        "nn.pad fills codes with a real number",
        node.span,
        "pad_value is that of the float operator",
        others=[scope.findings.shows(operand.expr, operand.type)],
        help=f"write pad_value={x}.zero",
    )
    return UNKNOWN
