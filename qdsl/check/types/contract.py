"""Typing rule of sums of products: convolutions and matmul.

    conv((sx, 0), (sw, 0)[O]) = (sx * sw, 0)[C]

A scale can be taken out of the sum only where it is the same for all terms: not along a letter that is summed over. The
padding of a convolution is a literal 0, one more reason for the zero point to be gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qdsl.check.types.agree import WIDE, dtype_of, floats_among, zero_left
from qdsl.check.types.findings import text_of
from qdsl.check.types.overflow import reduction_overflows
from qdsl.check.types.scope import Invocation, Operand, Scope, quantities
from qdsl.check.types.signatures import SIGNATURES
from qdsl.check.types.values import REAL, UNKNOWN, Quantity, Raw, Real, Type
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label
from qdsl.lang.source import Span


def contract(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """The type of a convolution or matmul of integers."""
    if len(data) != 2 or floats_among(scope, call, data):
        return UNKNOWN
    zero_left(scope, call, data, f"{call.name}")
    out = _out_dtype(scope, call, data)
    if isinstance(out, Real):
        return REAL
    axis = _axis(scope, call, data)
    found = quantities(data)
    if len(found) < 2:
        return out
    (_, x), (_, w) = found
    reduction_overflows(scope, call, found)
    unit = None if x.unit is None or w.unit is None else x.unit * w.unit
    return Quantity(out.dtype or WIDE, x.scale * w.scale, 0, axis, None, unit)


def _out_dtype(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Raw | Real:
    """The dtype that the call asks for; Q0304 where the products do not fit into it."""
    given = call.keywords.get("out_dtype")
    named = given.name if isinstance(given, tree.DType) else None
    if isinstance(given, tree.String):
        named = given.value or None
    if named is not None and named.startswith("float"):
        return REAL
    widths = {dtype_of(o.type) for o in data}
    if named == WIDE or (named is None and widths == {WIDE}):
        return Raw(WIDE)
    label = (
        f"the result is {named}" if named else f"without out_dtype the result is as narrow as {text_of(data[0].expr)}"
    )
    scope.findings.add(
        "Q0304",
        f"{call.name} of integers needs a 32-bit result",
        given.span if given is not None else _head(call.node),
        label,
        others=[scope.findings.shows(o.expr, o.type) for o in data],
        help="write out_dtype=int32" if given is not None else f"write {_with_out_dtype(call)}",
    )
    return Raw(WIDE)


def _head(node: tree.Expr) -> Span:
    return node.func_span if isinstance(node, tree.Call) else node.span


def _with_out_dtype(call: Invocation) -> str:
    text = text_of(call.node)
    return f"{text[:-1]}, out_dtype=int32)" if text.endswith(")") else "out_dtype=int32"


def _axis(scope: Scope, call: Invocation, data: Sequence[Operand]) -> str | None:
    """The letter along which the product of the scales varies in the result; Q0303 where a scale is summed over."""
    axes = SIGNATURES[call.name].axes
    result = None
    for operand, survives in zip(data, axes, strict=True):
        letter = operand.type.axis if isinstance(operand.type, Quantity) else None
        if letter is None:
            continue
        if letter in survives:
            result = survives[letter]
        else:
            _summed(scope, call, operand, letter, survives)
    return result


def _summed(scope: Scope, call: Invocation, operand: Operand, letter: str, survives: Mapping[str, str]) -> None:
    mark = _mark_of(scope, operand.expr)
    spec = mark.spec if isinstance(mark, tree.MarkAs | tree.Share) else None
    place = spec.axis_span if isinstance(spec, tree.SchemeSpec) else None
    kept = " or ".join(survives)
    scheme = spec.scheme if isinstance(spec, tree.SchemeSpec) else "the scheme"
    scope.findings.add(
        "Q0303",
        f"{call.name} sums along {letter}, so the scale cannot vary along it",
        place or operand.expr.span,
        f"one scale for each {letter}",
        others=[Label(operand.expr.span, "summed here")] if place else [],
        help=f"write {scheme}[{kept}]",
    )


def _mark_of(scope: Scope, expr: tree.Node) -> tree.Mark | None:
    """The mark of the name that an operand comes from."""
    names = [n.id for n in tree.walk(expr) if isinstance(n, tree.Name | tree.Spread)]
    marked = [scope.marks.marked[n] for n in names if n in scope.marks.marked]
    return marked[0].mark if len(marked) == 1 else None
