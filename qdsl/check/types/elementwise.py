"""Typing rules of elementwise arithmetic.

    sum        (s, 0) + (s, 0)      = (s, 0)           x - x.zero = (x.scale, 0)
    product    (sa, 0) * (sb, 0)    = (sa * sb, 0)     n * (s, 0) = (s, 0) for a whole number n
    compare    (s, z) ? (s, z)      = bool

An operator keeps the dtype of its operands, so the range of the codes is kept along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qdsl.check.types import ranges
from qdsl.check.types.agree import (
    WIDE,
    dtype_of,
    dtypes_differ,
    floats_among,
    format_of,
    is_literal,
    is_zero_point,
    one_format,
    wraps,
    zero_left,
)
from qdsl.check.types.findings import text_of
from qdsl.check.types.overflow import product_overflows
from qdsl.check.types.scope import Invocation, Operand, Scope, quantities
from qdsl.check.types.select import against_numbers
from qdsl.check.types.values import UNKNOWN, Code, Number, Quantity, Raw, Truth, Type
from qdsl.formats.scale import Scale


def total(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """add and subtract."""
    if len(data) != 2 or floats_among(scope, call, data):
        return UNKNOWN
    if any(isinstance(o.type, Raw) for o in data):
        return raw(scope, call, data)
    a, b = data
    if not quantities(data):
        return Number()
    if isinstance(a.type, Number) or isinstance(b.type, Number):
        return _with_number(scope, call, data)
    qa, qb = format_of(a.type), format_of(b.type)
    if qa is None or qb is None:
        return UNKNOWN
    if not one_format(scope, call, a, b):
        return UNKNOWN
    if call.name == "add" and not qa.centered:
        zero_left(scope, call, [Operand(o.expr, format_of(o.type) or UNKNOWN) for o in data], "the addition")
        return UNKNOWN
    if isinstance(a.type, Quantity) and isinstance(b.type, Quantity) and dtypes_differ(scope, call, data):
        return UNKNOWN
    codes = ranges.add(qa.codes, qb.codes) if call.name == "add" else ranges.subtract(qa.codes, qb.codes)
    if isinstance(a.type, Code) or isinstance(b.type, Code):
        codes = ranges.subtract(qa.codes, qa.codes) if not qa.centered else None
    # A code beside integers takes their dtype.
    value = qa if isinstance(a.type, Quantity) else qb
    wraps(scope, call, data, value.dtype, codes)
    return replace(value, zero=0, axis=qa.axis or qb.axis, codes=codes, unit=_unit_of_sum(call, a, b))


def _unit_of_sum(call: Invocation, a: Operand, b: Operand) -> Scale | None:
    """x - x.zero is x; other sums are no monomial."""
    taken = isinstance(a.type, Quantity) and isinstance(b.type, Code) and call.name == "subtract"
    return a.type.unit if taken and isinstance(a.type, Quantity) and is_zero_point(b.expr) else None


def _with_number(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    (operand, q), number = quantities(data)[0], next(o for o in data if isinstance(o.type, Number))
    if is_literal(number.type, 0):
        return q if operand is data[0] or call.name == "add" else negate(scope, call, [operand])
    x, n = text_of(operand.expr), text_of(number.expr)
    scope.findings.add(
        "Q0305",
        f"{call.name} of integers and a number that is on no scale",
        number.expr.span,
        scope.findings.shows(number.expr, number.type).message,
        others=[scope.findings.shows(operand.expr, q)],
        help=f"write affine({x}, 1, {n})" if call.name == "add" else f"write affine({x}, 1, -{n})",
    )
    return UNKNOWN


def product(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """multiply and outer."""
    if len(data) != 2 or floats_among(scope, call, data):
        return UNKNOWN
    if any(isinstance(o.type, Raw) for o in data):
        return raw(scope, call, data)
    found = quantities(data)
    if zero_left(scope, call, data, "the multiplication"):
        return UNKNOWN
    if len(found) == 1:
        return _times_number(scope, call, data)
    (a, qa), (b, qb) = found
    if dtypes_differ(scope, call, (a, b)):
        return UNKNOWN
    codes = ranges.multiply(qa.codes, qb.codes)
    if qa.dtype == WIDE == qb.dtype:
        product_overflows(scope, call, (a, qa), (b, qb), codes)
    else:
        wraps(scope, call, data, qa.dtype, codes)
    unit = None if qa.unit is None or qb.unit is None else qa.unit * qb.unit
    return Quantity(qa.dtype, qa.scale * qb.scale, 0, qa.axis or qb.axis, codes, unit)


def _times_number(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    (operand, q), number = quantities(data)[0], next(o for o in data if isinstance(o.type, Number))
    value = number.type.value if isinstance(number.type, Number) else None
    if value is not None and value == int(value):
        unit = None if q.unit is None or not value else q.unit * Scale.number(value)
        return replace(q, unit=unit, codes=None)
    scope.findings.add(
        "Q0304",
        "integers are multiplied by a number that need not be whole",
        number.expr.span,
        scope.findings.shows(number.expr, number.type).message,
        others=[scope.findings.shows(operand.expr, q)],
        help=f"write affine({text_of(operand.expr)}, {text_of(number.expr)}, 0), or put it into the scale if positive",
    )
    return UNKNOWN


def negate(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """negative and abs."""
    value = data[0].type
    if not isinstance(value, Quantity):
        return value if isinstance(value, Raw) else UNKNOWN
    if zero_left(scope, call, data, "the sign is changed"):
        return UNKNOWN
    unit = value.unit * Scale.number(-1) if value.unit is not None and call.name != "abs" else None
    return replace(value, unit=unit)


def quotient(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """divide, power and what else is meant for floats: integers would be truncated."""
    found = quantities(data)
    if not found:
        return UNKNOWN if floats_among(scope, call, data) else raw(scope, call, data)
    operand, q = found[0]
    division = call.name == "divide" and len(data) == 2 and operand is data[0]
    divisor = text_of(data[1].expr) if division else ""
    result = next(iter(scope.boundary.results), "y")
    scope.findings.add(
        "Q0304",
        "an integer division truncates"
        if call.name == "divide"
        else f"{call.name} of integers is not that of their values",
        operand.expr.span,
        scope.findings.shows(operand.expr, q).message,
        help=f"leave the division to the mark: {result} as <scheme> = <scale> / {divisor}"
        if division
        else "write lookup(f, x) with a def f that computes it",
    )
    return UNKNOWN


def compare(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """Comparisons: both sides in one format."""
    if len(data) != 2 or floats_among(scope, call, data):
        return Truth()
    a, b = data
    qa, qb = format_of(a.type), format_of(b.type)
    if qa is not None and qb is not None:
        one_format(scope, call, a, b)
    elif qa is not None or qb is not None:
        integers, other = (a, b) if qa is not None else (b, a)
        if isinstance(other.type, Number):
            against_numbers(scope, call, integers, [other])
    return Truth()


def raw(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """Integers without a scale: only their dtypes must be one."""
    integers = [o for o in data if isinstance(o.type, Raw | Quantity)]
    if dtypes_differ(scope, call, integers):
        return UNKNOWN
    return Raw(next((d for o in integers if (d := dtype_of(o.type)) is not None), None))
