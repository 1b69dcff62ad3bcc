"""Emitting any Relax operator by its name in a rule, and what its result's format is where that follows from the
operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tvm import relax
from tvm.ir import GenericConst

from qdsl.errors import RuleError
from qdsl.match.attributes import rebuild
from qdsl.match.facts import layout_at
from qdsl.match.found import Place
from qdsl.match.graph import operator_name
from qdsl.realize.values import Host, Numbers, Several, Tensor, Value

MOVES = frozenset(
    [
        "reshape",
        "permute_dims",
        "squeeze",
        "expand_dims",
        "strided_slice",
        "concat",
        "split",
        "nn.max_pool2d",
        "nn.max_pool1d",
        "nn.max_pool3d",
        "flatten",
        "image.resize2d",
        "take",
        "broadcast_to",
        "maximum",
        "minimum",
        "where",
        "nn.pad",
        "repeat",
        "tile",
        "flip",
    ]
)
"""Operators whose result keeps the scale and the zero point of their operands."""
PRODUCTS = frozenset(
    [
        "matmul",
        "multiply",
        "nn.conv1d",
        "nn.conv2d",
        "nn.conv3d",
        "nn.conv1d_transpose",
        "nn.conv2d_transpose",
        "nn.conv3d_transpose",
    ]
)
"""Operators whose result lies on the product of their operands' scales."""


def wrapper(name: str) -> Callable[..., relax.Expr]:
    """The function of relax.op for an operator name. Raises RuleError for a name that is none."""
    found: Any = relax.op
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise RuleError(f"Relax has no operator {name!r} that a clause can call")
    return found


def constant(host: Host, dtype: str) -> GenericConst:
    """A host value as a constant of the module; a constant of the model is itself, in its own dtype."""
    if isinstance(host.source, GenericConst):
        return host.source
    return relax.const(np.asarray(host.value).astype(dtype))


def as_operand(value: Value, dtype: str) -> relax.Expr:
    """A value as an operand; host numbers become constants of `dtype`."""
    if isinstance(value, Tensor):
        return value.expr
    if isinstance(value, Several):
        return relax.Tuple([t.expr for t in value.items])
    if isinstance(value, Host):
        if value.source is not None and not isinstance(value.source, GenericConst):
            return value.source
        return constant(value, dtype)
    raise RuleError(f"a vector along {value.letter} has to be combined with a tensor that has this axis")


def is_setting(value: Value) -> bool:
    """Whether a host value is no tensor: a dtype, a shape, axes."""
    return isinstance(value, Host) and value.source is None and isinstance(value.value, str | list)


def common_dtype(values: Sequence[Value]) -> str:
    """The dtype that host numbers take beside these tensors; a condition says nothing of it."""
    for value in values:
        if isinstance(value, Tensor) and value.dtype not in ("", "bool"):
            return value.dtype
        if isinstance(value, Several) and value.items:
            return value.items[0].dtype
    return "float32"


def call_operator(
    name: str, operands: Sequence[Value], keywords: Mapping[str, Any], base: relax.Call | None
) -> relax.Expr:
    """A call of an operator, not yet emitted. `base` lends its attributes and the operands that were left out."""
    dtype = common_dtype(operands)
    exprs = [as_operand(v, dtype) for v in operands if not is_setting(v)]
    settings = [plain_keyword("", v.value) for v in operands if isinstance(v, Host) and is_setting(v)]
    changes = {k: plain_keyword(k, v) for k, v in keywords.items()}
    if base is not None:
        exprs += list(base.args[len(exprs) :])
        return rebuild(base, exprs, changes, None if operator_name(base) == name else name)
    function = wrapper(name)
    try:
        return function(*exprs, *settings, **changes)
    except (TypeError, ValueError) as error:
        raise RuleError(f"{name} cannot be called like this: {str(error).splitlines()[0]}") from error


def plain_keyword(name: str, value: Any) -> Any:
    """A host value as a Python attribute: whole floats become ints, one-element arrays numbers."""
    if name == "keepdims":
        return bool(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.item() if np.asarray(value).size == 1 else [v.item() for v in np.asarray(value).reshape(-1)]
    if isinstance(value, list | tuple):
        return [plain_keyword("", v) for v in value]
    return value


def result_format(name: str, operands: Sequence[Value]) -> Numbers | None:
    """The format of an operator's result where it follows from its operands'; None where a mark has to say it."""
    formats = [v.format for v in operands if isinstance(v, Tensor) and v.format is not None]
    if isinstance(operands[0] if operands else None, Several):
        formats = [t.format for t in operands[0].items if t.format is not None]  # type: ignore[union-attr]
    if not formats:
        return None
    if name in PRODUCTS and len(formats) == 2:
        a, b = formats
        per_channel = next((f for f in formats if f.axis is not None), None)
        axis = None if per_channel is None else 1
        return Numbers(np.asarray(a.scale * b.scale), 0, axis, "int32", -(2**31), 2**31 - 1)
    if name in MOVES or name in ("add", "subtract", "sum", "nn.relu", "clip", "astype", "negative"):
        return formats[0]
    return None


def with_dtype(format: Numbers | None, dtype: str) -> Numbers | None:
    return None if format is None else replace(format, dtype=dtype)


def result_layout(call: relax.Expr) -> str | None:
    """The layout of a call's result, where its operator has one."""
    return layout_at(Place(call, "result")) if isinstance(call, relax.Call) else None
