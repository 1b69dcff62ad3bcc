"""Whether what a realize clause yields is what the mark of the result says.

The clause's integers have a scale s and stand for the monomial u of captures, the match computes m: then the result is
on s * m / u (see `units`), and that must be the mark's scale; dtype and zero point must be the mark's as they are.
"""

from __future__ import annotations

from qdsl.check.types import advice
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Scope
from qdsl.check.types.signatures import SIGNATURES
from qdsl.check.types.units import unit_of_result
from qdsl.check.types.values import Code, Many, Number, Quantity, Raw, Real, Several, Truth, Type, Unknown
from qdsl.formats.format import STORAGE_BITS
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label

STORED_IN = {"int4": "int8", "uint4": "uint8"}
"""Dtypes that tensors hold in a wider one."""

EXACT = frozenset({"sum", "select", "contract", "product", "quotient", "relu", "pad", "negate"})
"""Typing rules of match operators whose factor is known: no other than the one `units` finds."""


def check_result(scope: Scope, name: str, expr: tree.Expr, value: Type) -> None:
    """Report where the type of a result differs from its mark."""
    expected = _element(scope.marks.type_of(name))
    value = _element(value)
    if isinstance(value, Code):
        value = value.of
    if isinstance(value, Unknown | Several) or isinstance(expected, Unknown):
        return
    if isinstance(expected, Real):
        _check_float(scope, name, expr, value)
    elif isinstance(expected, Quantity):
        _check_integer(scope, name, expr, value, expected)


def _element(value: Type) -> Type:
    return value.element if isinstance(value, Many) else value


def _check_float(scope: Scope, name: str, expr: tree.Expr, value: Type) -> None:
    if isinstance(value, Quantity | Raw | Truth):
        scale = f" * {scope.findings.scale(value.scale)}" if isinstance(value, Quantity) else ""
        text = text_of(expr) if not isinstance(value, Quantity) or value.centered else f"centered({text_of(expr)})"
        help = f"write astype({text}, float32){scale}"
        _differs(scope, "Q0304", f"{name} is marked float, and this is not", name, expr, value, help)


def _check_integer(scope: Scope, name: str, expr: tree.Expr, value: Type, expected: Quantity) -> None:
    if isinstance(value, Number):
        _differs(scope, "Q0306", "a number is no code", name, expr, value, f"write level({text_of(expr)}, x)")
    elif isinstance(value, Real | Truth):
        help = advice.for_float(scope, expr)
        _differs(scope, "Q0304", f"{name} is marked {expected.dtype}, and this is not", name, expr, value, help)
    elif isinstance(value, Raw):
        _check_raw(scope, name, expr, value, expected)
    elif isinstance(value, Quantity):
        _check_quantity(scope, name, expr, value, expected)


def _check_raw(scope: Scope, name: str, expr: tree.Expr, value: Raw, expected: Quantity) -> None:
    """Integers without a scale are on the mark's, where the mark says which: declared, fixed, or that of an operand."""
    if value.dtype is not None and not _one_dtype(value.dtype, expected.dtype):
        _dtype_differs(scope, name, expr, value, expected)
        return
    marked = scope.marks.marked.get(name)
    declared = not expected.scale.symbols or (marked is not None and marked.declared_scale is not None)
    if any(s.same_scale(expected) and s.zero == expected.zero for s in value.sources):
        return
    if declared and all(s.centered for s in value.sources):
        return
    if declared:
        message = f"{value.origin} has no typing rule, and a zero point is still in what it reads"
        _differs(scope, "Q0306", message, name, expr, value, "write centered(x) for its operands")
        return
    what = f"{value.origin} has no typing rule, so nothing says on which scale this is" if value.origin else ""
    help = f"say it in the mark: {name} as <scheme> = <scale>, or {name} like an operand"
    _differs(scope, "Q0305", what or "nothing says on which scale this is", name, expr, value, help)


def _check_quantity(scope: Scope, name: str, expr: tree.Expr, value: Quantity, expected: Quantity) -> None:
    if not _one_dtype(value.dtype, expected.dtype):
        _dtype_differs(scope, name, expr, value, expected)
        return
    computed = unit_of_result(scope.boundary, name, scope.choice)
    on = value.scale if computed is None or value.unit is None else value.scale * computed / value.unit
    if not expected.scale.agrees(on) and not _declared_change(scope, name, value, expected, computed):
        _scale_differs(scope, name, expr, value, expected, on, computed)
    elif value.zero != expected.zero:
        _zero_differs(scope, name, expr, value, expected)
    else:
        _check_axis(scope, name, expr, value)


def _one_dtype(a: str, b: str) -> bool:
    return STORED_IN.get(a, a) == STORED_IN.get(b, b)


def _dtype_differs(scope: Scope, name: str, expr: tree.Expr, value: Quantity | Raw, expected: Quantity) -> None:
    wanted = expected.dtype if expected.storage else f"whatever {expected.dtype.removesuffix('.dtype')} carries"
    known = value.dtype if value.dtype in STORAGE_BITS else None
    message = f"{name} is marked {wanted}, and this is {known or 'another integer dtype'}"
    _differs(scope, "Q0304", message, name, expr, value, advice.for_dtype(scope, name, expr, value, expected))


def _declared_change(scope: Scope, name: str, value: Quantity, expected: Quantity, computed: Scale | None) -> bool:
    """Whether the mark names a factor that the match's operator may well have: nothing here knows that operator's."""
    marked = scope.marks.marked.get(name)
    root = scope.boundary.places.get(name, ())
    kinds = {SIGNATURES[p.operator.name].kind for p in root if p.operator.name in SIGNATURES and p.position == "result"}
    if marked is None or marked.declared_scale is None or computed is not None or kinds & EXACT:
        return False
    factor = expected.scale / value.scale
    return not any(symbol.endswith(".scale") for symbol in factor.symbols)


def _scale_differs(
    scope: Scope, name: str, expr: tree.Expr, value: Quantity, expected: Quantity, on: Scale, computed: Scale | None
) -> None:
    fixed = not on.symbols and not expected.scale.symbols
    words = scope.findings.scale
    factor = not on.agrees(value.scale)
    message = f"{name} is marked on the scale {words(expected.scale)}, and this is on {words(on)}"
    if factor and computed is not None and value.unit is not None:
        message += f": the match computes {words(computed)}, the clause {words(value.unit)}"
    help = advice.for_scale(scope, name, expr, value, on, factor)
    _differs(scope, "Q0312" if fixed else "Q0305", message, name, expr, value, help)


def _zero_differs(scope: Scope, name: str, expr: tree.Expr, value: Quantity, expected: Quantity) -> None:
    if expected.centered:
        message, help = (
            f"the zero point is still in what {name} is given",
            f"write centered({advice.under_casts(expr)})",
        )
        _differs(scope, "Q0306", message, name, expr, value, help)
        return
    message = f"{name} is marked with the zero point {expected.zero}, and this has {value.zero}"
    _differs(scope, "Q0305", message, name, expr, value, f"write requantize({text_of(expr)})")


def _check_axis(scope: Scope, name: str, expr: tree.Expr, value: Quantity) -> None:
    marked = scope.marks.marked.get(name)
    spec = marked.spec if marked else None
    if not isinstance(spec, tree.SchemeSpec) or value.axis is None or spec.axis == value.axis:
        return
    scheme = scope.marks.schemes[spec.scheme]
    if scheme.per_channel and spec.axis is None:
        return
    along = f"this is {scope.findings.describe(value)}"
    if not scheme.per_channel:
        message = f"{spec.scheme} is per tensor, and the scale of {name} varies along {value.axis}"
        help = advice.for_axis(scope, name, value)
    else:
        message = f"the scale of {name} varies along {value.axis}, not along {spec.axis}"
        help = f"write {spec.scheme}[{value.axis}]"
    place = spec.axis_span or spec.scheme_span
    scope.findings.add("Q0303", message, place, others=[Label(expr.span, along)], help=help)


def _differs(scope: Scope, code: str, message: str, name: str, expr: tree.Expr, value: Type, help: str | None) -> None:
    marked = scope.marks.marked.get(name)
    expected = scope.findings.describe(_element(scope.marks.type_of(name)))
    others = [Label(marked.target.span, f"marked {expected}")] if marked else []
    scope.findings.add(code, message, expr.span, scope.findings.shows(expr, value).message, others=others, help=help)
