"""Kernels that TVM's importer emits for maximum, minimum and constant padding: the operators that they compute.

The kernel's one store is read, not its name: T[v0, v1] = max(a[v0, v1], b[...]) is maximum(a, b).
"""

from __future__ import annotations

from collections.abc import Iterator

from tvm import ir, relax, tirx

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import constant, dtype_of, shape_of

Operands = dict[ir.Expr, relax.Expr]
"""What each of the kernel's buffers is called with."""


def kernel_as_operator(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    kernel = sweep.kernels.get(call.args[0].name_hint) if isinstance(call.args[0], ir.GlobalVar) else None
    if not isinstance(kernel, tirx.PrimFunc) or not isinstance(call.args[1], relax.Tuple):
        return None
    store = _only_store(kernel)
    if store is None:
        return None
    operands = dict(zip(kernel.params, call.args[1].fields, strict=False))
    if isinstance(store.value, ir.TensorLoad):
        result = _operand(store.value, store, operands)
    elif isinstance(store.value, tirx.Max | tirx.Min):
        result = _extremum(store, operands)
    else:
        result = _constant_pad(store, operands)
    out = call.ty_args[0]
    if result is None or not isinstance(out.shape, relax.ShapeExpr):
        return None
    made = sweep.normalize(result) if isinstance(result, relax.Call) else result
    same = shape_of(made) == tuple(int(dim.value) for dim in out.shape.values) and dtype_of(made) == str(out.dtype)
    return made if same else None


def _only_store(kernel: tirx.PrimFunc) -> tirx.BufferStore | None:
    """The kernel's single store into its result, or None."""
    stores = list(_stores(kernel.body))
    whole = len(stores) == 1 and stores[0].buffer.same_as(kernel.params[-1])
    return stores[0] if whole and all(isinstance(index, ir.Var) for index in stores[0].indices) else None


def _stores(statement: object) -> Iterator[tirx.BufferStore]:
    """The stores below a statement, through loops, blocks and sequences."""
    if isinstance(statement, tirx.BufferStore):
        yield statement
    for part in ("block", "body", "init"):
        inner = getattr(statement, part, None)
        if inner is not None:
            yield from _stores(inner)
    for inner in getattr(statement, "seq", None) or ():
        yield from _stores(inner)


def _extremum(store: tirx.BufferStore, operands: Operands) -> relax.Expr | None:
    """max(a[...], b[...]) or with a number, each operand indexed as it is stored."""
    sides = [_operand(side, store, operands) for side in (store.value.a, store.value.b)]
    if any(side is None for side in sides):
        return None
    return (relax.op.maximum if isinstance(store.value, tirx.Max) else relax.op.minimum)(*sides)


def _operand(side: ir.Expr, store: tirx.BufferStore, operands: Operands) -> relax.Expr | None:
    if isinstance(side, tirx.FloatImm):
        return constant(side.value, str(store.buffer.ty.dtype))
    if not isinstance(side, ir.TensorLoad) or side.source not in operands:
        return None
    trailing = list(store.indices)[len(store.indices) - len(side.indices) :]
    for index, stored in zip(side.indices, trailing, strict=True):
        constant_zero = isinstance(index, tirx.IntImm) and int(index.value) == 0
        if not constant_zero and not index.same_as(stored):
            return None
    return operands[side.source]


def _constant_pad(store: tirx.BufferStore, operands: Operands) -> relax.Expr | None:
    """if_then_else(inside, x[v0 - before0, ...], number)"""
    value = store.value
    if not isinstance(value, ir.Call) or getattr(value.op, "name", "") != "prim.if_then_else":
        return None
    _, load, number = value.args
    if not isinstance(load, ir.TensorLoad) or not isinstance(number, tirx.FloatImm | tirx.IntImm):
        return None
    x = operands.get(load.source)
    if x is None or (sizes := shape_of(x)) is None or len(sizes) != len(store.indices):
        return None
    widths: list[int] = []
    for index, stored, size, total in zip(load.indices, store.indices, sizes, store.buffer.ty.shape, strict=True):
        before = _offset(index, stored)
        if before is None:
            return None
        widths += [before, int(total.value) - before - size]
    if min(widths) < 0:
        return None
    return relax.op.nn.pad(x, widths, "constant", float(number.value))


def _offset(index: ir.Expr, stored: ir.Expr) -> int | None:
    """c where index = stored - c"""
    if index.same_as(stored):
        return 0
    if isinstance(index, tirx.Sub) and index.a.same_as(stored) and isinstance(index.b, tirx.IntImm):
        return int(index.b.value)
    return None


FORMS: dict[str, tuple[Form, ...]] = {"call_tir": (kernel_as_operator,)}
