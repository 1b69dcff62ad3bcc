"""Fold a call whose operands are all constant, with numpy: no kernel is compiled, and 0-d results stay 0-d."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np
import tvm
from tvm import ir, relax

from qdsl.load.canonical.numpy_table import TABLE, Attributes
from qdsl.load.operands import attributes_of, constant

LARGEST_GROWTH = 1 << 27
"""Elements that a folded constant may have beyond those it is computed from."""


def fold_call(call: relax.Call, known: MutableMapping[object, relax.Expr]) -> relax.Expr | None:
    """The constant (or tuple of constants) that `call` computes, or None.

    `known` remembers results, so that two readers of one constant go on sharing what is computed from it.
    """
    function = TABLE.get(call.op.name.removeprefix("relax.")) if isinstance(call.op, ir.Op) else None
    if function is None or not all(_is_constant(argument) for argument in call.args):
        return None
    if _grows_too_much(call):
        return None
    attributes = attributes_of(call)
    key = (call.op.name, tuple(_key(argument) for argument in call.args), tuple(map(str, attributes.items())))
    if key not in known:
        try:
            with np.errstate(all="ignore"):
                result = function([_to_numpy(argument) for argument in call.args], Attributes(attributes))
        except (TypeError, ValueError, IndexError, NotImplementedError):
            return None
        known[key] = _to_relax(result, call.ty)
    return known[key]


def _is_constant(expr: relax.Expr) -> bool:
    if isinstance(expr, relax.Tuple):
        return all(_is_constant(item) for item in expr.fields)
    if isinstance(expr, relax.ShapeExpr):
        return all(hasattr(dim, "value") for dim in expr.values)
    return isinstance(expr, ir.GenericConst | tvm.tirx.IntImm | tvm.tirx.FloatImm)


def _key(expr: relax.Expr) -> object:
    if isinstance(expr, ir.GenericConst):
        return expr
    if isinstance(expr, relax.Tuple):
        return tuple(_key(item) for item in expr.fields)
    return str(expr)


def _to_numpy(expr: relax.Expr) -> Any:
    if isinstance(expr, relax.Tuple):
        return [_to_numpy(item) for item in expr.fields]
    if isinstance(expr, relax.ShapeExpr):
        return tuple(int(dim.value) for dim in expr.values)
    return expr.value.numpy() if isinstance(expr, ir.GenericConst) else expr.value


def _to_relax(result: Any, ty: ir.Type) -> relax.Expr:
    if isinstance(result, list):
        return relax.Tuple([_to_relax(item, field) for item, field in zip(result, ty.fields, strict=True)])
    if isinstance(ty, relax.ShapeType):
        return relax.ShapeExpr([int(size) for size in result])
    return constant(result, str(ty.dtype))


def _grows_too_much(call: relax.Call) -> bool:
    shape = getattr(call.ty, "shape", None)
    if not isinstance(shape, relax.ShapeExpr):
        return False
    made = int(np.prod([int(dim.value) for dim in shape.values], dtype=np.int64))
    read = sum(_size(argument) for argument in call.args)
    return made > read + LARGEST_GROWTH


def _size(expr: relax.Expr) -> int:
    if isinstance(expr, relax.Tuple):
        return sum(_size(item) for item in expr.fields)
    return int(np.prod(expr.value.shape, dtype=np.int64)) if isinstance(expr, ir.GenericConst) else 0
