"""Scale expressions as monomials: `x.scale * w.scale`, `x.scale / count(x, y)`, `x.scale * c`.

A scale is a product of scales, positive numbers, constants of the rule and counts, because only such a product can be
changed without arithmetic on the codes. Everything that is no scale of a mark is a symbol named as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qdsl.check.types.findings import Findings, text_of
from qdsl.formats.scale import Scale
from qdsl.lang import tree

HELP = "a scale is a product or quotient of scales, positive numbers, constants and counts"
AFFINE = "a negative or per-channel factor goes through affine(x, factor, 0)"


class ScaleReader:
    """Reads scale expressions; what names and their scales are is asked of the caller."""

    def __init__(
        self,
        scale_of: Callable[[tree.Field], Scale | None],
        locals_: Mapping[str, tree.Expr],
        findings: Findings,
    ) -> None:
        self.scale_of = scale_of
        """The scale of `x.scale`; None where there is none, which has then been reported."""
        self.locals = locals_
        """Names bound earlier in the clause, by what they were bound to."""
        self.findings = findings
        self._open: set[str] = set()

    def read(self, expr: tree.Expr) -> Scale | None:
        """The monomial, or None where the expression is none (reported)."""
        scale = self._read(expr)
        if scale is not None and scale.coefficient <= 0:
            self._refuse(expr, "a scale must be positive", AFFINE)
            return None
        return scale

    def _read(self, expr: tree.Expr) -> Scale | None:
        if isinstance(expr, tree.Number) and not isinstance(expr.value, bool):
            return Scale.number(expr.value)
        if isinstance(expr, tree.Field):
            return self.scale_of(expr) if expr.name == "scale" else Scale.of(text_of(expr))
        if isinstance(expr, tree.Name):
            return self._name(expr)
        if isinstance(expr, tree.Call):
            return Scale.of(symbol_of(expr))
        if isinstance(expr, tree.Unary) and expr.op == "-":
            inner = self._read(expr.operand)
            return None if inner is None else Scale.number(-1) * inner
        if isinstance(expr, tree.Binary):
            return self._binary(expr)
        return self._refuse(expr, "this is no scale", AFFINE if isinstance(expr, tree.Along) else HELP)

    def _name(self, expr: tree.Name) -> Scale | None:
        bound = self.locals.get(expr.id)
        if bound is None or expr.id in self._open:
            return Scale.of(expr.id)
        self._open.add(expr.id)
        try:
            return self._read(bound)
        finally:
            self._open.discard(expr.id)

    def _binary(self, expr: tree.Binary) -> Scale | None:
        left, right = self._read(expr.left), self._read(expr.right)
        if left is None or right is None:
            return None
        if expr.op == "*":
            return left * right
        if expr.op == "/":
            return left / right if right.coefficient else self._refuse(expr, "this divides by zero", HELP)
        if left.powers or right.powers:
            return self._refuse(expr, "a sum or difference is no scale", HELP)
        sign = 1 if expr.op == "+" else -1
        return Scale.number(left.coefficient + sign * right.coefficient)

    def _refuse(self, expr: tree.Expr, message: str, help: str) -> Scale | None:
        self.findings.add("Q0305", message, expr.span, help=help)
        return None


def symbol_of(call: tree.Call) -> str:
    """The symbol of a number that a call stands for, such as `count(x, y)`: the same however it is spaced."""
    return f"{call.func}({', '.join(text_of(a) for a in call.args)})"


def constants_in(expr: tree.Expr | None) -> list[tree.Name]:
    """The names that stand alone in a scale expression (`c` in `x.scale * c`), not under a field or a call."""
    if isinstance(expr, tree.Name):
        return [expr]
    if isinstance(expr, tree.Binary):
        return [*constants_in(expr.left), *constants_in(expr.right)]
    return constants_in(expr.operand) if isinstance(expr, tree.Unary) else []
