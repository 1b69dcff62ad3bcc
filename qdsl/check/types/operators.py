"""Applying an operator to typed operands: what is common to all typing rules, and the way to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from qdsl.check.types.contract import contract
from qdsl.check.types.elementwise import compare, negate, product, quotient, total
from qdsl.check.types.others import average, cast, codes_of, einsum, index, real, real_of, reduce
from qdsl.check.types.scope import Invocation, Operand, Scope, is_plain, quantities
from qdsl.check.types.select import pad, relu, select
from qdsl.check.types.signatures import SIGNATURES
from qdsl.check.types.values import REAL, UNKNOWN, Code, Many, Meta, Number, Raw, Real, Several, Truth, Type, Unknown
from qdsl.lang import tree
from qdsl.ops import lookup, result_count

TypingRule = Callable[[Scope, Invocation, Sequence[Operand]], Type]

RULES: dict[str, TypingRule] = {
    "contract": contract,
    "product": product,
    "sum": total,
    "select": select,
    "compare": compare,
    "reduce": reduce,
    "average": average,
    "negate": negate,
    "quotient": quotient,
    "real": real,
    "relu": relu,
    "pad": pad,
    "cast": cast,
    "index": index,
    "einsum": einsum,
    "real_of": real_of,
    "codes_of": codes_of,
}

ON_NUMBERS = frozenset({"product", "sum", "negate", "quotient"})
"""Rules under which an operator on numbers alone yields a number."""

ON_CODES = frozenset({"sum", "select", "compare"})
"""Rules under which a zero point or level is a code among codes; to all others it is integers like any."""

ALWAYS = frozenset({"compare", "cast", "index", "real_of", "codes_of"})
"""Rules that decide themselves what comes of floats."""


def apply_operator(scope: Scope, call: Invocation) -> Type:
    """The type of an operator's result, or of its results; findings go to the scope."""
    signature = SIGNATURES.get(call.name)
    if signature is None:
        return _several(call, _without_rule(call))
    if signature.kind == "fresh":
        return UNKNOWN
    data = call.data(signature.data)
    if signature.kind != "select" and any(isinstance(o.type, Many) for o in data):
        return UNKNOWN
    if not data or any(isinstance(o.type, Unknown | Meta | Truth | Several) for o in data):
        return _several(call, UNKNOWN)
    if signature.kind not in ALWAYS and all(is_plain(o.type) for o in data):
        number = signature.kind in ON_NUMBERS and all(isinstance(o.type, Number) for o in data)
        return _several(call, Number() if number else REAL)
    if signature.kind not in ON_CODES:
        data = [replace(o, type=o.type.of) if isinstance(o.type, Code) else o for o in data]
    return _several(call, RULES[signature.kind](scope, call, data))


def _without_rule(call: Invocation) -> Type:
    """An operator that the table does not know: floats of floats, else integers without a scale, of the same dtype."""
    data = [part for operand in call.operands.values() for part in call.data_of(operand)]
    if any(isinstance(o.type, Unknown | Many) for o in data):
        return UNKNOWN
    integers = [q for _, q in quantities(data)]
    out = call.keywords.get("out_dtype", call.keywords.get("dtype"))
    named = out.name if isinstance(out, tree.DType) else None
    if integers:
        return Raw(named or integers[0].dtype, call.name, tuple(integers))
    raws = [o.type for o in data if isinstance(o.type, Raw)]
    if raws:
        return Raw(named or raws[0].dtype)
    return REAL if any(isinstance(o.type, Real) for o in data) else UNKNOWN


def _several(call: Invocation, value: Type) -> Type:
    """The value as all results of the operator: of a split each has the type, of a norm the first."""
    operator = lookup(call.name)
    if operator is None or operator.results is None:
        return value
    attributes = {name: v.value for name, v in call.keywords.items() if isinstance(v, tree.String | tree.Number)}
    count = result_count(operator, attributes) or 1
    if count == 1:
        return value
    others = (REAL if isinstance(value, Real) else UNKNOWN,) * (count - 1)
    return Several((value, *others), call.name)
