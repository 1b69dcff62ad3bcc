"""Bounds: maximum and minimum with numbers as clip or relu, clips with float numbers, clips of clips as one."""

from __future__ import annotations

import numpy as np
from tvm import relax, tirx

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import dtype_of, is_float, scalar_of, shape_of


def maximum_of_number(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """max(x, c) = clip(x, c, greatest)"""
    low = _number(call)
    return None if low is None else clip_between(call.args[0], low, _greatest(call))


def minimum_of_number(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """min(x, c) = clip(x, least, c)"""
    high = _number(call)
    return None if high is None else clip_between(call.args[0], -_greatest(call), high)


def _number(call: relax.Call) -> float | None:
    """The second operand where it is one number that broadcasts into the first without changing its shape."""
    x, c = call.args
    number = scalar_of(c)
    if number is None or np.isnan(number) or not is_float(x) or shape_of(call) != shape_of(x):
        return None
    return float(np.clip(number, -_greatest(call), _greatest(call)))


def _greatest(call: relax.Call) -> float:
    return float(np.finfo(dtype_of(call.args[0])).max)


def clip_between(x: relax.Expr, low: float, high: float) -> relax.Call:
    """clip with its bounds in x's own dtype, which TVM does not see to"""
    return relax.op.clip(x, tirx.FloatImm(dtype_of(x), low), tirx.FloatImm(dtype_of(x), high))


def clip(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """Float bounds; clip(clip(x, a, b), c, d) as one clip; clip(x, 0, greatest) as relu."""
    x, low, high = call.args[0], scalar_of(call.args[1]), scalar_of(call.args[2])
    if low is None or high is None or not is_float(x):
        return None
    inner = sweep.definition(x, "clip")
    if inner is not None and low <= high:
        inner_low, inner_high = scalar_of(inner.args[1]), scalar_of(inner.args[2])
        if inner_low is not None and inner_high is not None and inner_low <= inner_high:
            bounds = float(np.clip(inner_low, low, high)), float(np.clip(inner_high, low, high))
            return clip_between(inner.args[0], *bounds)
    greatest = _greatest(call)
    if low == 0 and high >= greatest:
        return relax.op.nn.relu(x)
    if low <= -greatest and high >= greatest:
        return x
    if not all(isinstance(bound, tirx.FloatImm) and str(bound.ty) == dtype_of(x) for bound in call.args[1:]):
        return clip_between(x, low, high)
    return None


def clip_of_relu(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """clip(relu(x), a, b) = clip(x, max(a, 0), max(b, 0)), for a maximum with 0 that has become a relu."""
    inner = sweep.definition(call.args[0], "nn.relu")
    low, high = scalar_of(call.args[1]), scalar_of(call.args[2])
    if inner is None or low is None or high is None or low > high:
        return None
    return clip_between(inner.args[0], max(low, 0.0), max(high, 0.0))


FORMS: dict[str, tuple[Form, ...]] = {
    "maximum": (maximum_of_number,),
    "minimum": (minimum_of_number,),
    "clip": (clip, clip_of_relu),
}
