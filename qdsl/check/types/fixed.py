"""`fixed(scale=..., zero=..., dtype=...)`: a format whose numbers the rule itself knows.

y as fixed(scale=1/256, zero=0)          uint8 unless dtype= says otherwise
"""

from __future__ import annotations

from qdsl.check.types.boundary import literal
from qdsl.check.types.findings import Findings
from qdsl.check.types.values import Quantity
from qdsl.formats.format import STORAGE_BITS, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree

DEFAULT_DTYPE = "uint8"
ARGUMENTS = ("scale", "zero", "dtype")
HELP = "write fixed(scale=1/256, zero=0), with dtype=int8 where it is not uint8"


def fixed_format(spec: tree.FixedSpec, findings: Findings) -> Quantity | None:
    """The format that a `fixed` describes, or None where it describes none (reported as Q0312, dtypes as Q0307)."""
    given = {k.name: k.value for k in spec.args}
    dtype = _dtype(given.get("dtype"), findings)
    scale = _number(given.get("scale"))
    zero = literal(given["zero"]) if "zero" in given else 0
    unknown = next((k for k in spec.args if k.name not in ARGUMENTS), None)
    if unknown is not None:
        return _refuse(findings, unknown, f"fixed has no {unknown.name}")
    if "scale" not in given:
        return _refuse(findings, spec, "fixed needs a scale")
    if scale is None or not scale > 0:
        return _refuse(findings, given["scale"], "a fixed scale is a positive number")
    if dtype is None:
        return None
    if not isinstance(zero, int) or isinstance(zero, bool):
        return _refuse(findings, given["zero"], "a fixed zero point is a whole number")
    limits = SchemeType("fixed", dtype, symmetric=False, per_channel=False)
    if not limits.low <= zero <= limits.high:
        message = f"the zero point {zero} is no code of {dtype}, whose codes are {limits.low} to {limits.high}"
        return _refuse(findings, given["zero"], message)
    return Quantity(dtype, Scale.number(scale), zero, codes=(limits.low, limits.high))


def _refuse(findings: Findings, node: tree.Node, message: str) -> Quantity | None:
    findings.add("Q0312", message, node.span, help=HELP)
    return None


def _dtype(expr: tree.Expr | None, findings: Findings) -> str | None:
    if expr is None:
        return DEFAULT_DTYPE
    name = expr.name if isinstance(expr, tree.DType) else None
    if name in STORAGE_BITS:
        return name
    findings.add(
        "Q0307",
        f"a value cannot be quantized to {name or 'this'}",
        expr.span,
        help=f"the dtypes are {', '.join(STORAGE_BITS)}",
    )
    return None


def _number(expr: tree.Expr | None) -> float | None:
    """The value of an expression of literals, or None."""
    if isinstance(expr, tree.Number) and not isinstance(expr.value, bool):
        return float(expr.value)
    if isinstance(expr, tree.Unary) and expr.op == "-":
        inner = _number(expr.operand)
        return None if inner is None else -inner
    if not isinstance(expr, tree.Binary):
        return None
    left, right = _number(expr.left), _number(expr.right)
    if left is None or right is None or (expr.op == "/" and right == 0):
        return None
    return {"+": left + right, "-": left - right, "*": left * right, "/": left / right if right else 0.0}[expr.op]
