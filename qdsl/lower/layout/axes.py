"""Operators that name axes, in channels-last order. Each applies only where its operand is channels last already."""

from __future__ import annotations

from typing import Any

from tvm import relax, tirx

from qdsl.lower.layout.calls import attribute_values, axis_to_last, rank_of, rebuilt, shape_of, to_first, to_last
from qdsl.lower.layout.values import Values

ONE_AXIS = ("nn.softmax", "nn.log_softmax", "flip", "cumsum", "cumprod")
REDUCTIONS = ("mean", "sum", "max", "min", "prod", "variance", "std")
CODES = ("qdsl.quantize", "qdsl.dequantize", "qdsl.requantize", "qdsl.lookup", "qdsl.probe", "qdsl.simulated_quantize")
RESHAPES = ("reshape", "flatten", "squeeze", "expand_dims", "nn.batch_flatten")


def one_axis(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Operators of one attribute `axis` whose result has the operand's shape."""
    data, rank = call.args[0], rank_of(call)
    axis = attribute_values(call).get("axis")
    if not values.is_last(data) or axis is None:
        return False
    arguments = [values.last(data), *(values.new(argument) for argument in call.args[1:])]
    values.bind_last(variable, rebuilt(call, arguments, axis=axis_to_last(int(axis), rank)))
    return True


def codes(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """qdsl's own operators: parameters of shape () or (channels,) along the attribute `axis`, where there is one."""
    data, rank = call.args[0], rank_of(call)
    if not values.is_last(data):
        return False
    axis = attribute_values(call).get("axis")
    changes = {} if axis is None else {"axis": axis_to_last(int(axis), rank)}
    arguments = [values.last(data), *(values.new(argument) for argument in call.args[1:])]
    values.bind_last(variable, rebuilt(call, arguments, **changes))
    return True


def reduction(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Reductions over listed axes; without keepdims only where the axes that stay are in order."""
    data = call.args[0]
    rank = rank_of(data)
    if not values.is_last(data) or call.attrs.axis is None:
        return False
    gone = {int(axis) % rank for axis in call.attrs.axis}
    moved = sorted(axis_to_last(axis, rank) for axis in gone)
    stay = [axis for axis in to_last(rank) if axis not in gone]
    if not call.attrs.keepdims and stay != sorted(stay):
        return False
    made = values.emit(rebuilt(call, [values.last(data)], axis=moved))
    (values.bind_last if call.attrs.keepdims else values.bind)(variable, made)
    return True


def concat(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Where at least half of the fields are channels last."""
    fields = call.args[0]
    if not isinstance(fields, relax.Tuple) or call.attrs.axis is None:
        return False
    if 2 * sum(values.is_last(field) for field in fields.fields) < max(1, len(fields.fields)):
        return False
    axis = axis_to_last(int(call.attrs.axis), rank_of(call))
    operand = relax.Tuple([values.last(field) for field in fields.fields])
    values.bind_last(variable, rebuilt(call, [operand], axis=axis))
    return True


def split(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Gives a tuple whose items are channels last."""
    data = call.args[0]
    if not values.is_last(data):
        return False
    made = values.emit(rebuilt(call, [values.last(data)], axis=axis_to_last(int(call.attrs.axis), rank_of(data))))
    count = len(call.ty.fields)
    values.set_items(variable, [(values.emit(relax.TupleGetItem(made, index)), True) for index in range(count)])
    return True


def strided_slice(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Slices with fixed bounds along listed axes."""
    data, named = call.args[0], call.args[1]
    if not values.is_last(data) or not isinstance(named, relax.Tuple):
        return False
    rank = rank_of(data)
    moved = relax.Tuple([tirx.IntImm("int64", axis_to_last(_number(axis), rank)) for axis in named.fields])
    values.bind_last(variable, rebuilt(call, [values.last(data), moved, *call.args[2:]]))
    return True


def pad(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """nn.pad of any mode."""
    data = call.args[0]
    if not values.is_last(data):
        return False
    widths = [int(width) for width in call.attrs.pad_width]
    pairs = [widths[2 * axis : 2 * axis + 2] for axis in to_last(rank_of(data))]
    arguments = [values.last(data), *call.args[1:]]
    values.bind_last(variable, rebuilt(call, arguments, pad_width=[w for pair in pairs for w in pair]))
    return True


def permute_dims(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """y = x permuted by p, x = z permuted by to_first: y = z permuted by their product, often by nothing."""
    data = call.args[0]
    if not values.is_last(data):
        return False
    rank = rank_of(data)
    chosen = [int(a) % rank for a in call.attrs.axes] if call.attrs.axes is not None else list(range(rank))[::-1]
    product = [to_first(rank)[axis] for axis in chosen]
    last = values.last(data)
    made = last if product == sorted(product) else values.emit(relax.op.permute_dims(last, product))
    values.bind(variable, made)
    return True


def reshape(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Where the order of the elements is the same in both layouts: one channel, or one place."""
    data, shape = call.args[0], shape_of(call)
    if not values.is_last(data) or shape is None:
        return False
    before = shape_of(data)
    assert before is not None
    moving = [axis for axis in to_last(len(before)) if before[axis] != 1]
    if moving != sorted(moving):
        return False
    values.bind(variable, relax.op.reshape(values.last(data), shape))
    return True


def _number(value: Any) -> int:
    return int(getattr(value, "value", value))
