"""Moves and casts that change nothing are aliases; several moves of one kind are one."""

from __future__ import annotations

from tvm import relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import dtype_of, shape_of


def same_shape(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """reshape, squeeze, expand_dims, broadcast_to, flatten to the shape that x has"""
    x = call.args[0]
    shape = shape_of(x)
    return x if shape is not None and shape == shape_of(call) else None


def reshape_of_reshape(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """reshape(reshape(x)) = reshape(x): only the last shape counts."""
    inner = sweep.definition(call.args[0], "reshape")
    shape = shape_of(call)
    if inner is None or shape is None or not sweep.read_once(call.args[0]):
        return None
    return relax.op.reshape(inner.args[0], shape)


def same_order(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """permute_dims that leaves every axis of more than one element where it is, or moves only axes of one element"""
    x = call.args[0]
    rank = int(x.ty.ndim)
    axes = list(range(rank))[::-1] if call.attrs.axes is None else [int(axis) % rank for axis in call.attrs.axes]
    return x if axes == list(range(rank)) else None


def same_dtype(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    x = call.args[0]
    return x if dtype_of(x) == dtype_of(call) else None


def concat_of_one(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    parts = call.args[0]
    return parts.fields[0] if isinstance(parts, relax.Tuple) and len(parts.fields) == 1 else None


def whole_slice(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """strided_slice of everything, forwards"""
    x = call.args[0]
    strides = call.args[4].fields if len(call.args) > 4 else ()
    forwards = all(int(stride.value) == 1 for stride in strides)
    shape = shape_of(x)
    return x if forwards and shape is not None and shape == shape_of(call) else None


def no_padding(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    return call.args[0] if not any(int(width) for width in call.attrs.pad_width) else None


FORMS: dict[str, tuple[Form, ...]] = {
    "reshape": (same_shape, reshape_of_reshape),
    "flatten": (same_shape,),
    "squeeze": (same_shape,),
    "expand_dims": (same_shape,),
    "broadcast_to": (same_shape,),
    "permute_dims": (same_order,),
    "astype": (same_dtype,),
    "concat": (concat_of_one,),
    "strided_slice": (whole_slice,),
    "nn.pad": (no_padding,),
}
