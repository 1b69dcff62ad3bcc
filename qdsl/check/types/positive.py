"""Scales are positive: a constant in a scale needs a guard that says so.

y like x = x.scale * c        only when scalar(c) and c > 0
"""

from __future__ import annotations

from qdsl.check.types.boundary import Boundary, literal
from qdsl.check.types.findings import Findings
from qdsl.check.types.marks import Marks
from qdsl.check.types.scales import AFFINE, constants_in
from qdsl.lang import tree


def check_positive(rule: tree.Rule, boundary: Boundary, marks: Marks, findings: Findings) -> None:
    """Warn (Q0305) of constants in scales that the guard lets be zero or negative."""
    for marked in marks.marked.values():
        for name in constants_in(marked.declared_scale):
            if name.id in boundary.operands and not _is_positive(rule.when, name.id):
                findings.add(
                    "Q0305",
                    f"the scale is not known to be positive: {name.id} may be 0 or negative",
                    name.span,
                    help=f"add `{name.id} > 0` to the guard; {AFFINE}",
                    severity="warning",
                )


def _is_positive(when: tree.Expr | None, name: str) -> bool:
    for term in tree.conjuncts(when):
        if not isinstance(term, tree.Compare):
            continue
        if isinstance(term.left, tree.Name) and term.left.id == name and _bounds(term.op, literal(term.right), ">"):
            return True
        if isinstance(term.right, tree.Name) and term.right.id == name and _bounds(term.op, literal(term.left), "<"):
            return True
    return False


def _bounds(op: str, value: object, strict: str) -> bool:
    """Whether `name > value` (or >=, ==) makes the name positive."""
    if not isinstance(value, int | float):
        return False
    return (op == strict and value >= 0) or (op in (f"{strict}=", "==") and value > 0)
