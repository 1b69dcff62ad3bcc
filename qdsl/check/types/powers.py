"""Powers of two: a derived scale under a pow2 scheme is a product of scales and numbers that are powers of two.

y as acc = x.scale * w.scale        with acc pow2: act and weight have to be pow2 too

What only a model knows (a count, a constant, an operand read as `any`) is asked when the rule is tried on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.types.findings import Findings
from qdsl.check.types.marks import Marked, Marks
from qdsl.formats.format import SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label


def check_powers(marks: Marks, findings: Findings) -> None:
    """Report (Q0305) factors of a pow2 scheme's scale that are known to be no powers of two."""
    for marked in marks.marked.values():
        scheme = _scheme_of(marked, marks)
        if scheme is None or not scheme.pow2 or marked.declared_scale is None:
            continue
        for factor in _factors(marked.declared_scale):
            _check_factor(factor, scheme, marks, findings)


def _check_factor(factor: tree.Expr, scheme: SchemeType, marks: Marks, findings: Findings) -> None:
    if isinstance(factor, tree.Number) and factor.value > 0 and not Scale.number(factor.value).is_power_of_two:
        findings.add(
            "Q0305",
            f"{scheme.name} has powers of two as scales, and {factor.span.text} is none",
            factor.span,
            help=f"take a power of two, or `pow2` out of scheme {scheme.name}",
        )
    if not (isinstance(factor, tree.Field) and factor.name == "scale" and isinstance(factor.base, tree.Name)):
        return
    read = marks.marked.get(factor.base.id)
    other = _scheme_of(read, marks) if read else None
    if read is None or other is None or other.pow2:
        return
    findings.add(
        "Q0305",
        f"{scheme.name} has powers of two as scales, and the scale of {factor.base.id} may be any number",
        factor.span,
        others=[Label(read.target.span, f"marked {other.name}, which has no pow2")],
        help=f"add `pow2` to scheme {other.name}, or take it out of scheme {scheme.name}",
    )


def _scheme_of(marked: Marked, marks: Marks) -> SchemeType | None:
    """The scheme that a mark names, itself or by the name that it is like."""
    for _ in marks.marked:
        spec = marked.spec
        if spec is not None:
            return marks.schemes.get(spec.scheme) if isinstance(spec, tree.SchemeSpec) else None
        source = marks.marked.get(marked.mark.source) if isinstance(marked.mark, tree.Like) else None
        if source is None:
            return None
        marked = source
    return None


def _factors(expr: tree.Expr) -> Iterator[tree.Expr]:
    if isinstance(expr, tree.Binary) and expr.op in "*/":
        yield from _factors(expr.left)
        yield from _factors(expr.right)
        return
    yield expr
