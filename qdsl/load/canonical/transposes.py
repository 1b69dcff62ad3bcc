"""Transposes sink through operators that treat every element alike, until they meet their inverse.

Networks exported from channels-last frameworks wrap every convolution in two transposes, with bias, norm and activation
outside. Sunk, the inner ones cancel, and bias and activation stand behind the convolution, in its layout.

    op(permute(x))            =  permute(op(x))
    op(permute(a), permute(b)) =  permute(op(a, b))
    op(permute(x), c)         =  permute(op(x, c'))          c' is c with its axes put back
    permute(permute(x))       =  permute(x)                  one order after the other
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import array_of, constant, shape_of

_UNARY = (
    "nn.relu", "clip", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "erf", "abs", "negative", "square",
    "nn.silu", "nn.gelu", "nn.gelu_tanh", "nn.leakyrelu", "astype",
)  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power")
_REDUCTIONS = ("mean", "sum", "max", "min", "prod")


def permutation_of(expr: relax.Expr, sweep: Sweep) -> tuple[relax.Expr, list[int]] | None:
    """(x, axes) where `expr` is permute_dims(x, axes)."""
    call = sweep.definition(expr, "permute_dims")
    if call is None:
        return None
    rank = int(call.args[0].ty.ndim)
    axes = range(rank)[::-1] if call.attrs.axes is None else (int(axis) % rank for axis in call.attrs.axes)
    return call.args[0], list(axes)


def _permute(sweep: Sweep, origin: relax.Expr, inner: relax.Expr, axes: Sequence[int]) -> relax.Expr:
    """permute_dims(inner, axes), inner emitted as part of the operator at hand, the move as part of the one it was."""
    call = relax.op.permute_dims(sweep.emit(inner), list(axes))
    return relax.Call(call.op, call.args, call.attrs, call.ty_args, span=sweep.span_of(origin))


def through_unary(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    found = permutation_of(call.args[0], sweep)
    if found is None:
        return None
    x, axes = found
    return _permute(sweep, call.args[0], relax.Call(call.op, [x, *call.args[1:]], call.attrs), axes)


def through_binary(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    for side, other in ((0, 1), (1, 0)):
        found = permutation_of(call.args[side], sweep)
        if found is None:
            continue
        x, axes = found
        partner = _put_back(call.args[other], axes, sweep)
        if partner is None or shape_of(call) is None:
            return None
        arguments = [x, partner] if side == 0 else [partner, x]
        return _permute(sweep, call.args[side], relax.Call(call.op, arguments, call.attrs), axes)
    return None


def _put_back(expr: relax.Expr, axes: list[int], sweep: Sweep) -> relax.Expr | None:
    """The tensor that is `expr` once its axes are permuted: what a like transpose reads, or a constant moved."""
    found = permutation_of(expr, sweep)
    if found is not None:
        return found[0] if found[1] == axes else None
    array = array_of(expr)
    if array is None or array.ndim > len(axes):
        return None
    if array.size == 1 and array.ndim <= 1:
        return expr
    full = array.reshape((1,) * (len(axes) - array.ndim) + array.shape)
    return constant(np.transpose(full, np.argsort(axes)))


def through_reduction(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """Reduce the axes where they stood; without them, the others keep their order."""
    found = permutation_of(call.args[0], sweep)
    if found is None or call.attrs.axis is None:
        return None
    x, axes = found
    reduced = {axes[int(axis) % len(axes)] for axis in call.attrs.axis}
    keep = bool(call.attrs.keepdims)
    make = getattr(relax.op, call.op.name.removeprefix("relax."))
    inner = make(x, axis=sorted(reduced), keepdims=keep)
    if keep:
        return _permute(sweep, call.args[0], inner, axes)
    left = [axis for axis in axes if axis not in reduced]
    return _permute(sweep, call.args[0], inner, [sorted(left).index(axis) for axis in left]) if left else inner


def through_pad(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    found = permutation_of(call.args[0], sweep)
    if found is None:
        return None
    x, axes = found
    pairs = np.asarray([int(width) for width in call.attrs.pad_width]).reshape(-1, 2)[np.argsort(axes)]
    widths = [int(width) for width in pairs.reshape(-1)]
    inner = relax.op.nn.pad(x, widths, str(call.attrs.pad_mode), float(call.attrs.pad_value))
    return _permute(sweep, call.args[0], inner, axes)


def through_prelu(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    found = permutation_of(call.args[0], sweep)
    if found is None:
        return None
    x, axes = found
    inner = relax.op.nn.prelu(x, call.args[1], axis=axes[int(call.attrs.axis) % len(axes)])
    return _permute(sweep, call.args[0], inner, axes)


def through_concat(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    if not isinstance(call.args[0], relax.Tuple):
        return None
    found = [permutation_of(part, sweep) for part in call.args[0].fields]
    orders = [entry[1] for entry in found if entry is not None]
    if len(orders) < len(found) or any(order != orders[0] for order in orders):
        return None
    axis = orders[0][int(call.attrs.axis or 0) % len(orders[0])]
    inner = relax.op.concat([entry[0] for entry in found if entry is not None], axis=axis)
    return _permute(sweep, call.args[0].fields[0], inner, orders[0])


def permute_of_permute(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    found = permutation_of(call.args[0], sweep)
    if found is None:
        return None
    x, first = found
    rank = len(first)
    second = range(rank)[::-1] if call.attrs.axes is None else [int(axis) % rank for axis in call.attrs.axes]
    return relax.op.permute_dims(x, [first[axis] for axis in second])


def permute_of_ones(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """A transpose that moves only axes of one element is a reshape."""
    x = call.args[0]
    shape = shape_of(x)
    if shape is None:
        return None
    rank = len(shape)
    axes = range(rank)[::-1] if call.attrs.axes is None else [int(axis) % rank for axis in call.attrs.axes]
    wide = [axis for axis in axes if shape[axis] != 1]
    return relax.op.reshape(x, [shape[axis] for axis in axes]) if wide == sorted(wide) else None


FORMS: dict[str, tuple[Form, ...]] = {
    **dict.fromkeys(_UNARY, (through_unary,)),
    **dict.fromkeys(_BINARY, (through_binary,)),
    **dict.fromkeys(_REDUCTIONS, (through_reduction,)),
    "nn.pad": (through_pad,),
    "nn.prelu": (through_prelu,),
    "concat": (through_concat,),
    "permute_dims": (permute_of_permute, permute_of_ones),
}
