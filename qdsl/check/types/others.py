"""Typing rules of what is left: sums over axes, pools, functions of real numbers, casts, indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qdsl.check.types.agree import WIDE, dtype_of, floats_among, zero_left
from qdsl.check.types.boundary import literal
from qdsl.check.types.elementwise import product
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Invocation, Operand, Scope
from qdsl.check.types.values import REAL, UNKNOWN, Quantity, Raw, Type
from qdsl.formats.format import STORAGE_BITS
from qdsl.lang import tree


def reduce(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """sum, cumsum, mean: the scale stays, the zero point must be gone, and an operator sums in its operand's dtype."""
    operand, value = data[0], data[0].type
    if not isinstance(value, Quantity | Raw):
        return UNKNOWN
    if zero_left(scope, call, data[:1], f"the {call.name}"):
        return UNKNOWN
    dtype = dtype_of(value)
    named = call.keywords.get("dtype")
    if isinstance(named, tree.DType):
        dtype = named.name
    if dtype is not None and STORAGE_BITS.get(dtype, 32) < 32:
        scope.findings.add(
            "Q0304",
            f"{call.name} of {dtype} stays {dtype}, and wraps",
            operand.expr.span,
            scope.findings.shows(operand.expr, value).message,
            help=f"write astype({text_of(operand.expr)}, {WIDE})",
        )
        return UNKNOWN
    if isinstance(value, Raw):
        return value
    return replace(value, dtype=dtype or value.dtype, codes=None, unit=value.unit if call.name == "sum" else None)


def average(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """Average pools: padded with a literal 0, and on integers they truncate."""
    operand, value = data[0], data[0].type
    if not isinstance(value, Quantity):
        return UNKNOWN
    help = f"write average({_uncentered(operand.expr)}{', **' + call.inherits if call.inherits else ''})"
    if not value.centered and _padded(call):
        label = scope.findings.shows(operand.expr, value)
        message = f"the zero point is not removed before a padded {call.name}"
        scope.findings.add("Q0306", message, label.span, label.message, help=help)
        return UNKNOWN
    scope.findings.add(
        "Q0304",
        f"{call.name} of integers truncates",
        call.node.func_span if isinstance(call.node, tree.Call) else call.node.span,
        others=[scope.findings.shows(operand.expr, value)],
        help=help,
    )
    return UNKNOWN


def _padded(call: Invocation) -> bool:
    if "adaptive" in call.name:
        return False
    padding = call.keywords.get("padding")
    if padding is None:
        return call.inherits is not None
    value = literal(padding)
    return value not in (0, ()) and not (isinstance(value, tuple) and not any(value))


def _uncentered(expr: tree.Node) -> str:
    """The text of an operand without the casts and centering that a builder does itself."""
    while isinstance(expr, tree.Call) and expr.func in ("astype", "centered") and expr.positional:
        expr = expr.positional[0]
    return text_of(expr)


def real(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """Functions of real numbers: never on codes."""
    operand = next((o for o in data if isinstance(o.type, Quantity | Raw)), None)
    if operand is None:
        return UNKNOWN
    x = text_of(operand.expr)
    lookup = f"write lookup({call.name}, {x})" if len(call.operands) == 1 else f"write lookup(f, {x}) with a def f"
    scope.findings.add(
        "Q0304",
        f"{call.name} takes float32, not integers",
        operand.expr.span,
        f"this is {scope.findings.describe(operand.type)}",
        help=lookup if isinstance(operand.type, Quantity) else f"write astype({x}, float32)",
    )
    return UNKNOWN


def cast(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """astype keeps scale and zero point of codes; integers made of floats have none."""
    target = call.operands[1].expr if 1 in call.operands else call.keywords.get("dtype")
    name = target.name if isinstance(target, tree.DType) else target.value if isinstance(target, tree.String) else None
    if name is None:
        return UNKNOWN
    if name.startswith("float"):
        return REAL
    value = data[0].type
    return replace(value, dtype=name) if isinstance(value, Quantity) else Raw(name)


def einsum(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """A product of two operands, summed."""
    value = product(scope, call, data)
    return replace(value, codes=None) if isinstance(value, Quantity) else value


def real_of(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """TVM's dequantize."""
    return REAL


def codes_of(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """TVM's quantize: its scale is an operand, and no mark's."""
    named = call.keywords.get("out_dtype")
    return Raw(named.name if isinstance(named, tree.DType) else "int8")


def index(scope: Scope, call: Invocation, data: Sequence[Operand]) -> Type:
    """argmax and its like: positions, which have no scale."""
    floats_among(scope, call, data)
    return Raw("int64")
