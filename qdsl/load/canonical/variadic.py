"""The largest, least, sum or mean of several tensors: a chain of two-operand operators, not a stack that is reduced.

TVM's importer broadcasts the tensors to one shape, stacks them along a new first axis and reduces it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from tvm import ir, relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import constant, dtype_of, shape_of


def _chain_of(operator: Callable[[relax.Expr, relax.Expr], relax.Expr]) -> Form:
    def form(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
        parts = _stacked(call, sweep)
        return None if parts is None else functools.reduce(operator, parts)

    return form


def mean_of_stack(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """mean(stack(a, b, ...)) = (a + b + ...) * (1/n)"""
    parts = _stacked(call, sweep)
    if parts is None:
        return None
    factor = constant(1 / len(parts), dtype_of(call))
    return relax.op.multiply(functools.reduce(relax.op.add, parts), factor)


def _stacked(call: relax.Call, sweep: Sweep) -> list[relax.Expr] | None:
    """The tensors whose stack along the first axis `call` reduces along that axis, before they were broadcast."""
    stack = sweep.definition(call.args[0], "stack")
    if stack is None or call.attrs.keepdims or call.attrs.axis is None:
        return None
    if [int(axis) for axis in call.attrs.axis] != [0] or int(stack.attrs.axis or 0) != 0:
        return None
    if not isinstance(stack.args[0], relax.Tuple):
        return None
    spread = list(stack.args[0].fields)
    parts = [_before_broadcast(part, sweep) for part in spread]
    return parts if _broadcasts_to(parts, shape_of(call)) else spread


def _before_broadcast(part: relax.Expr, sweep: Sweep) -> relax.Expr:
    broadcast = sweep.definition(part, "broadcast_to")
    if broadcast is not None:
        return broadcast.args[0]
    if isinstance(part, ir.GenericConst):
        return _narrowest(part)
    return part


def _narrowest(part: relax.Expr) -> relax.Expr:
    """A constant without the axes along which it only repeats, which stay as axes of one element."""
    array = part.value.numpy()
    for axis in range(array.ndim):
        first = np.take(array, [0], axis=axis)
        if array.shape[axis] > 1 and np.array_equal(np.broadcast_to(first, array.shape), array):
            array = first
    return part if array.shape == shape_of(part) else constant(array)


def _broadcasts_to(parts: list[relax.Expr], shape: tuple[int, ...] | None) -> bool:
    shapes = [known for part in parts if (known := shape_of(part)) is not None]
    return len(shapes) == len(parts) and np.broadcast_shapes(*shapes) == shape


FORMS: dict[str, tuple[Form, ...]] = {
    "max": (_chain_of(relax.op.maximum),),
    "min": (_chain_of(relax.op.minimum),),
    "sum": (_chain_of(relax.op.add),),
    "mean": (mean_of_stack,),
}
