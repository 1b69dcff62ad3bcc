"""Constants second; subtraction and division by a constant as addition and multiplication."""

from __future__ import annotations

import numpy as np
from tvm import ir, relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import array_of, constant, dtype_of, is_float


def constant_second(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """op(c, x) = op(x, c) for a commutative op"""
    a, b = call.args
    if isinstance(a, ir.GenericConst) and not isinstance(b, ir.GenericConst):
        return relax.Call(call.op, [b, a])
    return None


def subtract_constant(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """x - c = x + (-c), also for signed integers"""
    x, c = call.args
    if not isinstance(c, ir.GenericConst) or dtype_of(c).startswith(("uint", "bool")):
        return None
    return relax.op.add(x, relax.op.negative(c))


def divide_by_constant(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """x / c = x * (1 / c) for floats, within one rounding; the reciprocal is taken in float64."""
    x, c = call.args
    array = array_of(c)
    if array is None or not is_float(c):
        return None
    with np.errstate(all="ignore"):
        reciprocal = (1.0 / array.astype(np.float64)).astype(array.dtype)
    # 1/c leaves the range where c is zero, subnormal or huge; x/c may not.
    if not np.all(np.isfinite(reciprocal)) or np.any((reciprocal == 0) & np.isfinite(array)):
        return None
    return relax.op.multiply(x, constant(reciprocal))


FORMS: dict[str, tuple[Form, ...]] = {
    "add": (constant_second,),
    "multiply": (constant_second,),
    "maximum": (constant_second,),
    "minimum": (constant_second,),
    "subtract": (subtract_constant,),
    "divide": (divide_by_constant,),
}
