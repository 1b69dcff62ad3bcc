"""Calls rebuilt with other operands or attributes, and the small facts the layout rules ask of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tvm import ir, relax


def rebuilt(call: relax.Call, args: Sequence[relax.Expr], **changes: Any) -> relax.Call:
    """`call` on `args`, its attributes replaced where `changes` names them."""
    attrs = call.attrs
    if changes:
        fields = attribute_values(call)
        attrs = ir.make_node(_type_key(attrs), **{**fields, **changes})
    return relax.Call(call.op, list(args), attrs=attrs, ty_args=call.ty_args, span=call.span)


def attribute_values(call: relax.Call) -> dict[str, Any]:
    """The attributes of a call by name, whatever class holds them."""
    attrs = call.attrs
    if attrs is None:
        return {}
    if isinstance(attrs, ir.attrs.DictAttrs):
        return {str(key): value for key, value in attrs.items()}
    return {field.name: getattr(attrs, field.name) for field in type(attrs).__tvm_ffi_type_info__.fields}


def _type_key(attrs: ir.Attrs) -> str:
    return str(type(attrs).__tvm_ffi_type_info__.type_key)


def op_name(value: relax.Expr) -> str:
    """The name of the called operator without its prefix, e.g. 'nn.conv2d'; '' when `value` calls none."""
    if isinstance(value, relax.Call) and isinstance(value.op, ir.Op):
        return str(value.op.name).removeprefix("relax.")
    return ""


def fixed_shape(value: relax.Expr) -> tuple[int, ...]:
    """The shape of a tensor that is known to have a fixed one."""
    shape = shape_of(value)
    assert shape is not None, "a kernel is only chosen for tensors of fixed shape"
    return shape


def shape_of(value: relax.Expr) -> tuple[int, ...] | None:
    """The fixed shape of a tensor, or None when it is no tensor or not fixed."""
    ty = value.ty
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        return None
    try:
        return tuple(int(extent) for extent in ty.shape.values)
    except (TypeError, ValueError):
        return None


def rank_of(value: relax.Expr) -> int:
    """The number of dims of a tensor, -1 when unknown or no tensor."""
    return int(value.ty.ndim) if isinstance(value.ty, relax.TensorType) else -1


def constant(value: relax.Expr) -> np.ndarray | None:
    """The array of a constant, else None."""
    return value.value.numpy() if isinstance(value, ir.GenericConst) else None


def to_last(rank: int) -> list[int]:
    """The axes that take channels-first to channels-last: (0, 2, .., rank-1, 1)."""
    return [0, *range(2, rank), 1]


def to_first(rank: int) -> list[int]:
    """The axes that take channels-last back to channels-first: (0, rank-1, 1, .., rank-2)."""
    return [0, rank - 1, *range(1, rank - 1)]


def axis_to_last(axis: int, rank: int) -> int:
    """Where an axis of the channels-first value lies in the channels-last one."""
    return to_last(rank).index(axis % rank)
