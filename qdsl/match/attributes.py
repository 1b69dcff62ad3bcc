"""A call's attributes as plain Python values, and calls rebuilt with some of them changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import tvm_ffi
from tvm import ir, relax

from qdsl.errors import RuleError
from qdsl.match.graph import number_of, operator_name


def plain(value: Any) -> Any:
    """An attribute's value without TVM's wrappers: int, float, bool, str, None or a list of them."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tvm_ffi.Array | list | tuple):
        return [plain(v) for v in value]
    number = number_of(value)
    return number if number is not None else str(value)


def attributes(call: relax.Call) -> dict[str, Any]:
    """All attributes of a call, name to plain value."""
    return {name: plain(value) for name, value in raw_attributes(call).items()}


def raw_attributes(call: relax.Call) -> dict[str, Any]:
    """All attributes of a call as TVM holds them."""
    if call.attrs is None:
        return {}
    info = getattr(type(call.attrs), "__tvm_ffi_type_info__", None)
    if isinstance(call.attrs, ir.attrs.DictAttrs):
        return dict(call.attrs.items())
    fields = () if info is None else info.fields
    return {f.name: getattr(call.attrs, f.name) for f in fields}


@cache
def attribute_names(attrs_type_key: str) -> tuple[str, ...]:
    """The attribute names of an attrs type, from TVM's type registry."""
    info = tvm_ffi.core._lookup_or_register_type_info_from_type_key(attrs_type_key)
    return tuple(f.name for f in info.fields)


def rebuild(
    call: relax.Call, operands: Sequence[relax.Expr], changes: Mapping[str, Any], op: str | None = None
) -> relax.Call:
    """The same operator (or `op`, with the same attributes) on other operands, with some attributes changed.

    Raises RuleError where an attribute is not one of the operator's.
    """
    target = ir.Op.get(f"relax.{op}") if op is not None else call.op
    fields = raw_attributes(call)
    unknown = sorted(set(changes) - set(fields))
    if unknown:
        raise RuleError(f"{operator_name(call)} has no attribute {unknown[0]!r}; it has {', '.join(sorted(fields))}")
    if not fields:
        return relax.Call(target, list(operands), attrs=call.attrs, span=call.span)
    attrs_key = target.attrs_type_key or type(call.attrs).__tvm_ffi_type_info__.type_key
    attrs = ir.make_node(attrs_key, **{**fields, **changes})
    return relax.Call(target, list(operands), attrs=attrs, ty_args=call.ty_args, span=call.span)
