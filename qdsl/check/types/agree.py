"""What operands must have in common, and what is said where they have not: one scale, no zero point, one dtype."""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.check.types import ranges
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Invocation, Operand, Scope, quantities
from qdsl.check.types.signatures import SIGNATURES
from qdsl.check.types.values import UNKNOWN, Code, Number, Quantity, Raw, Real, Type
from qdsl.lang import tree

WIDE = "int32"


def one_format(scope: Scope, call: Invocation, a: Operand, b: Operand) -> bool:
    """Whether two operands have one scale and one zero point; reported where they have not."""
    qa, qb = format_of(a.type), format_of(b.type)
    assert qa is not None
    assert qb is not None
    if not qa.same_scale(qb):
        scales_differ(scope, call, a, b)
    elif qa.zero != qb.zero:
        zeros_differ(scope, call, a, b)
    return qa.same_scale(qb) and qa.zero == qb.zero


def scales_differ(scope: Scope, call: Invocation, a: Operand, b: Operand) -> None:
    """Report two operands on different scales (Q0305; Q0312 where both scales are fixed numbers)."""
    qa, qb = format_of(a.type), format_of(b.type)
    fixed = qa is not None and qb is not None and not qa.scale.symbols and not qb.scale.symbols
    scope.findings.add(
        "Q0312" if fixed else "Q0305",
        f"{call.name} of tensors on different {'fixed ' if fixed else ''}scales",
        b.expr.span,
        scope.findings.shows(b.expr, b.type).message,
        others=[scope.findings.shows(a.expr, a.type)],
        help=one_scale_help(scope, call, a, b),
    )


def one_scale_help(scope: Scope, call: Invocation, a: Operand, b: Operand) -> str:
    """How to bring `b` onto the scale of `a`, or both onto the result's."""
    signature = SIGNATURES.get(call.name)
    selects = signature is not None and signature.kind == "select"
    if selects and isinstance(a.expr, tree.Name) and isinstance(b.expr, tree.Name):
        names = (a.expr.id, b.expr.id, *scope.boundary.results)
        return f"give them one scale: share {', '.join(names)} as <scheme>"
    qa = format_of(a.type)
    left, right = text_of(a.expr), text_of(b.expr)
    marked = scope.marks.marked.get(b.expr.id) if isinstance(b.expr, tree.Name) else None
    if qa is not None and qa.centered and marked and isinstance(marked.spec, tree.SchemeSpec):
        scheme, scale = accumulator(scope), scope.findings.scale(qa.scale)
        return f"mark {right} on that scale, {right} as {scheme} = {scale}, or write rescale({right}, {scale})"
    if qa is not None and qa.centered:
        return f"write rescale({right}, {scope.findings.scale(qa.scale)})"
    result = next(iter(scope.boundary.results), "y")
    return f"bring both onto one scale: rescale({left}, {result}.scale), rescale({right}, {result}.scale)"


def accumulator(scope: Scope) -> str:
    """The name of an int32 scheme for a help line: the one that a mark of this rule names, else any."""
    names = [m.spec.scheme for m in scope.marks.marked.values() if isinstance(m.spec, tree.SchemeSpec)]
    schemes = scope.marks.schemes
    known = [n for n in [*names, *schemes] if n in schemes and schemes[n].dtype == WIDE]
    return known[0] if known else "acc"


def zeros_differ(scope: Scope, call: Invocation, a: Operand, b: Operand) -> None:
    """Report two operands on one scale with different zero points (Q0305)."""
    offender, other = (b, a) if _centered(a) else (a, b)
    centered = f"write centered({bare(offender.expr)})"
    scope.findings.add(
        "Q0305",
        f"{call.name} of tensors with different zero points",
        offender.expr.span,
        scope.findings.shows(offender.expr, offender.type).message,
        others=[scope.findings.shows(other.expr, other.type)],
        help=centered if _centered(other) else one_scale_help(scope, call, a, b),
    )


def zero_left(scope: Scope, call: Invocation, data: Sequence[Operand], doing: str) -> bool:
    """Report operands whose zero point is still in them (Q0306, one finding for all); whether there were any."""
    offenders = [(o, q) for o, q in quantities(data) if not q.centered]
    if not offenders:
        return False
    first, others = offenders[0][0], [scope.findings.shows(o.expr, q) for o, q in offenders[1:]]
    names = ", ".join(f"centered({bare(o.expr)})" for o, _ in offenders)
    scope.findings.add(
        "Q0306",
        f"the zero point is not removed before {doing}",
        first.expr.span,
        scope.findings.shows(first.expr, first.type).message,
        others=others,
        help=f"write {names}",
    )
    return True


def bare(expr: tree.Node) -> str:
    """The text of what a cast reads: centered belongs inside astype."""
    if isinstance(expr, tree.Call) and expr.func == "astype" and expr.positional:
        return text_of(expr.positional[0])
    return text_of(expr)


def floats_among(scope: Scope, call: Invocation, data: Sequence[Operand]) -> bool:
    """Report a float32 operand beside integers (Q0304); whether there was one."""
    real = next((o for o in data if isinstance(o.type, Real)), None)
    integer = next((o for o in data if isinstance(o.type, Quantity | Raw | Code)), None)
    if real is None or integer is None:
        return False
    scope.findings.add(
        "Q0304",
        f"{call.name} of float32 and integers",
        real.expr.span,
        scope.findings.shows(real.expr, real.type).message,
        others=[scope.findings.shows(integer.expr, integer.type)],
        help=_float_help(call, real, integer),
    )
    return True


def _float_help(call: Invocation, real: Operand, integer: Operand) -> str:
    x, c = text_of(integer.expr), text_of(real.expr)
    if isinstance(integer.type, Quantity) and call.name == "multiply":
        return f"write affine({x}, {c}, 0)"
    if isinstance(integer.type, Quantity) and call.name == "add":
        return f"write affine({x}, 1, {c})"
    return f"cast first: astype({x}, float32)"


def dtypes_differ(scope: Scope, call: Invocation, data: Sequence[Operand]) -> bool:
    """Report integer operands of different dtypes (Q0304): operators take one dtype; whether there were any."""
    known = [(o, d) for o in data if (d := dtype_of(o.type)) is not None]
    other = next(((o, d) for o, d in known if d != known[0][1]), None)
    if other is None:
        return False
    narrow = min((known[0], other), key=lambda pair: pair[1] == WIDE)[0]
    wide = known[0][0] if narrow is other[0] else other[0]
    scope.findings.add(
        "Q0304",
        f"{call.name} of {known[0][1]} and {other[1]}",
        narrow.expr.span,
        scope.findings.shows(narrow.expr, narrow.type).message,
        others=[scope.findings.shows(wide.expr, wide.type)],
        help=f"write astype({text_of(narrow.expr)}, {WIDE})",
    )
    return True


def wraps(scope: Scope, call: Invocation, data: Sequence[Operand], dtype: str, codes: ranges.Range) -> None:
    """Report a result that its dtype cannot hold (Q0304): operators keep the dtype of their operands."""
    if dtype == WIDE or ranges.fits(codes, dtype):
        return
    casts = " and ".join(f"astype({_centered_text(o)}, {WIDE})" for o in data if isinstance(o.type, Quantity))
    scope.findings.add(
        "Q0304",
        f"{call.name} of {dtype} stays {dtype}, and wraps",
        call.node.span,
        "" if codes is None else f"this reaches from {codes[0]} to {codes[1]}",
        others=[scope.findings.shows(o.expr, o.type) for o in data[:2] if o.expr.span != call.node.span],
        help=f"write {casts}",
    )


def _centered_text(operand: Operand) -> str:
    return text_of(operand.expr) if _centered(operand) else f"centered({text_of(operand.expr)})"


def _centered(operand: Operand) -> bool:
    found = format_of(operand.type)
    return found is not None and found.centered


def format_of(value: Type) -> Quantity | None:
    """The format of integers or of a code."""
    if isinstance(value, Code):
        return value.of
    return value if isinstance(value, Quantity) else None


def dtype_of(value: Type) -> str | None:
    """The integer dtype, where it is known before calibration."""
    if isinstance(value, Quantity):
        return value.dtype if value.storage is not None else None
    return value.dtype if isinstance(value, Raw) else None


def name_of_format(scope: Scope, expr: tree.Node) -> str:
    """The name whose format an expression has, as level and fields take one; the expression itself where none is."""
    value = format_of(scope.types.get(expr.span, UNKNOWN))
    for node in tree.walk(expr):
        named = format_of(scope.type_of_name(node.id)) if isinstance(node, tree.Name) else None
        if value is not None and named is not None and named.same_scale(value) and named.zero == value.zero:
            return node.id if isinstance(node, tree.Name) else text_of(expr)
    return text_of(expr)


def is_zero_point(expr: tree.Node) -> bool:
    """Whether an expression is a zero point, `x.zero`."""
    return isinstance(expr, tree.Field) and expr.name == "zero"


def is_literal(value: Type, number: float) -> bool:
    """Whether a value is that literal number."""
    return isinstance(value, Number) and value.value == number
