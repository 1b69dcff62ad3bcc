"""Operators that look at one place of each operand: functions of one value, sums, products, choices."""

from __future__ import annotations

from collections.abc import Mapping

from qdsl.verify.forms.ask import ALL_PAIRS, Ask, Form, Plan, Shape

UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor", "log",
    "negative", "nn.gelu", "nn.gelu_tanh", "nn.relu", "nn.selu", "nn.silu", "nn.softplus", "round", "rsqrt",
    "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)  # fmt: skip
"""Functions of one value without attributes that matter."""
BINARY = (
    "add", "atan2", "divide", "floor_divide", "floor_mod", "log_add_exp", "maximum", "minimum", "mod", "multiply",
    "power", "subtract",
)  # fmt: skip
"""Functions of two values."""


def unary(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),))


def clip(ask: Ask) -> Plan | None:
    low, high = ask.pick("bounds", [(0.0, 6.0), (-1.0, 1.0), (0.5, 2.0), (-3.0, -0.25)])
    return Plan((ask.shape(0) or ask.base(),), {"min": low, "max": high})


def leaky_relu(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),), {"alpha": ask.pick("alpha", [0.25, 0.01, 1.5])})


def binary(ask: Ask) -> Plan | None:
    """Two operands of one shape, or the second spread over the first; a constant by preference a vector or a number."""
    a, b = ask.shape(0), ask.shape(1)
    if a is not None and b is not None:
        return Plan((a, b))
    if a is None and b is None:
        computed = not ask.hint(0).constant and not ask.hint(1).constant
        whole = ask.base(ALL_PAIRS) if computed else ask.base()
        return Plan((_spread(ask, 0, whole), whole) if ask.hint(0).constant else (whole, _spread(ask, 1, whole)))
    if a is not None:
        return Plan((a, _spread(ask, 1, a if _size(a) > 1 else ask.base())))
    assert b is not None
    return Plan((_spread(ask, 0, b if _size(b) > 1 else ask.base()), b))


def _spread(ask: Ask, position: int, whole: Shape) -> Shape:
    """A shape that broadcasts against `whole`."""
    hint = ask.hint(position)
    rank = len(whole)
    channel = (whole[1], *(1,) * (rank - 2)) if rank >= 2 else whole
    last = whole[-1:]
    options = [whole, (1, *channel) if rank >= 2 else whole, last]
    if hint.constant:
        options = [channel, (), last, (1, *channel) if rank >= 2 else whole, whole, (1,) * rank]
    if hint.scalar:
        options = [(), (1,), (1,) * rank]
    if hint.rank is not None:
        fitting = [o for o in [last, *options] if len(o) == hint.rank]
        options = fitting or options
    return ask.pick(f"operand{position}", list(dict.fromkeys(options)))


def _size(shape: Shape) -> int:
    size = 1
    for axis in shape:
        size *= axis
    return size


def prelu(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    axis = ask.pick("axis", [1, len(x) - 1]) if len(x) > 1 else 0
    return Plan((x, ask.shape(1) or (x[axis],)), {"axis": axis})


def where(ask: Ask) -> Plan | None:
    x = next((s for s in (ask.shape(1), ask.shape(2), ask.shape(0)) if s is not None), None) or ask.base()
    return Plan((ask.shape(0) or x, ask.shape(1) or x, ask.shape(2) or x), dtypes={0: "bool"})


FORMS: Mapping[str, Form] = {
    **dict.fromkeys(UNARY, unary),
    **dict.fromkeys(BINARY, binary),
    "clip": clip,
    "nn.leakyrelu": leaky_relu,
    "nn.prelu": prelu,
    "where": where,
}
POINTWISE = frozenset(FORMS)
"""Operators whose result at a place depends on that place alone: all codes can be tried at once."""
