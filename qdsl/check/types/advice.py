"""What to write instead: the help lines of findings about results."""

from __future__ import annotations

from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Scope
from qdsl.check.types.values import Quantity, Raw
from qdsl.formats.scale import Scale
from qdsl.lang import tree

WIDE = "int32"


def under_casts(expr: tree.Node) -> str:
    """The text of what a cast reads."""
    while isinstance(expr, tree.Call) and expr.func == "astype" and expr.positional:
        expr = expr.positional[0]
    return text_of(expr)


def for_float(scope: Scope, expr: tree.Expr) -> str:
    """A float where integers are due."""
    return "compute it with affine, lookup or requantize, or mark the result float"


def for_dtype(scope: Scope, name: str, expr: tree.Expr, value: Quantity | Raw, expected: Quantity) -> str:
    """Another dtype than the mark's."""
    text = text_of(expr)
    if isinstance(value, Raw):
        return f"write astype({text}, {expected.dtype})" if expected.storage else f"mark {name} with a scheme"
    if expected.dtype != WIDE:
        return f"write requantize({text})"
    if free(scope, name, expected):
        return f"write rescale({text}, {name}.scale)"
    inner = text if value.centered else f"centered({under_casts(expr)})"
    return f"write astype({inner}, {WIDE})"


def for_axis(scope: Scope, name: str, value: Quantity) -> str:
    """A scale that varies along an axis under a per_tensor scheme."""
    schemes = scope.marks.schemes.values()
    scheme = next((s.name for s in schemes if s.per_channel and s.dtype == value.dtype), None)
    if scheme is None or value.axis is None or "." in value.axis:
        return "mark it with a per_channel scheme"
    return f"write {name} as {scheme}[{value.axis}] = {scope.findings.scale(value.scale)}"


def free(scope: Scope, name: str, expected: Quantity) -> bool:
    """Whether a result's scale is a symbol of its own, found by calibration."""
    return expected.scale == Scale.of(f"{name}.scale")


def for_scale(scope: Scope, name: str, expr: tree.Expr, value: Quantity, on: Scale, factor: bool) -> str:
    """Another scale than the mark's."""
    marked = scope.marks.marked.get(name)
    expected = scope.marks.type_of(name)
    text = text_of(expr)
    if value.axis is not None and value.axis.endswith("..."):
        return f"give them one scale: share {value.axis}, {name} as <scheme>"
    if on.coefficient <= 0:
        return f"the sign is lost: write -({text})"
    if marked is not None and isinstance(marked.mark, tree.Like):
        return f"write {name} like {marked.mark.source} = {scope.findings.scale(on)}"
    spec = marked.spec if marked else None
    if isinstance(spec, tree.SchemeSpec) and isinstance(expected, Quantity):
        along = f"[{spec.axis}]" if spec.axis else ""
        derived = f"{name} as {spec.scheme}{along} = {scope.findings.scale(on)}"
        if spec.scale is not None or factor or expected.dtype != WIDE:
            return f"write {derived}" if expected.dtype == WIDE else f"write requantize({text}), or {derived}"
        return f"write rescale({text}, {name}.scale), or {derived}"
    return f"write requantize({text})"
