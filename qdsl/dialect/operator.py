"""How an operator of the dialect is made: registered with TVM once, built as a call, read back.

A registered operator is an ordinary Relax operator: it prints as `R.qdsl.NAME(...)`, infers its type, is pure, is
lowered by `relax.transform.LegalizeOps` and survives JSON. Its attributes are a DictAttrs, so that a call carries
whatever labels a stage wants to leave on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm
import tvm_ffi
from tvm import relax
from tvm.ir import Call, Span
from tvm.ir import _ffi_api as _ir_api

PREFIX = "relax.qdsl."

InferType = Callable[[Call], relax.Type]
Legalize = Callable[[relax.BlockBuilder, Call], relax.Expr]
Attribute = str | int | float | bool | Sequence[str] | Sequence[int] | None


def define(name: str, doc: str, infer: InferType, legalize: Legalize) -> None:
    """Register `relax.qdsl.<name>`; a second definition of a name is ignored, so that imports may repeat."""
    full = PREFIX + name
    if full in tvm.ir.Op.list_op_names():
        return
    _ir_api.RegisterOp(full, doc)
    tvm.ir.register_op_attr(full, "FInferType", lambda call, _builder: infer(call))
    tvm.ir.register_op_attr(full, "FPurity", True)
    tvm.ir.register_op_attr(full, "FLegalize", legalize)


def build(name: str, args: Sequence[relax.Expr], attributes: Mapping[str, object], span: Span | None = None) -> Call:
    """A call of `relax.qdsl.<name>`, not yet emitted. Attributes that are None or empty lists are left out."""
    kept = {key: _plain(value) for key, value in attributes.items() if value is not None and value != []}
    return Call(tvm.ir.Op.get(PREFIX + name), list(args), attrs=tvm.ir.make_node("ir.DictAttrs", **kept), span=span)


def is_call(expr: relax.Expr, *names: str) -> bool:
    """Whether `expr` calls one of these operators of the dialect (of any, when no name is given)."""
    if not isinstance(expr, Call) or not isinstance(expr.op, tvm.ir.Op):
        return False
    full = str(expr.op.name)
    return full.startswith(PREFIX) and (not names or full[len(PREFIX) :] in names)


def attributes(call: Call) -> dict[str, Any]:
    """The attributes of a call of the dialect as plain Python values (str, bool, int, float, list)."""
    return {str(key): _unwrapped(value) for key, value in call.attrs.items()}


def _plain(value: object) -> object:
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    raise TypeError(f"an attribute of the qdsl dialect is a number, a string or a list of them, not {value!r}")


def _unwrapped(value: object) -> object:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tvm_ffi.Array):
        return [_unwrapped(item) for item in value]
    return getattr(value, "value", value)
