"""Expressions with names replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from qdsl.lang import tree

Kind = TypeVar("Kind", bound=tree.Node)


def substitute(expr: Kind, values: Mapping[str, tree.Node]) -> Kind:
    """The expression with every name that `values` knows replaced; names of functions and fields are not names here."""
    if isinstance(expr, tree.Name):
        return values.get(expr.id, expr)  # type: ignore[return-value]
    if isinstance(expr, tree.Spread | tree.AttributesOf):
        value = values.get(expr.id)
        return replace(expr, id=value.id) if isinstance(value, tree.Name | tree.Spread) else expr
    changed: dict[str, Any] = {}
    for f in fields(expr):
        value = getattr(expr, f.name)
        if isinstance(value, tree.Node):
            new: Any = substitute(value, values)
        elif isinstance(value, tuple) and any(isinstance(v, tree.Node) for v in value):
            new = tuple(substitute(v, values) for v in value)
        else:
            continue
        if new != value:
            changed[f.name] = new
    return replace(expr, **changed) if changed else expr
