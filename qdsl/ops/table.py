"""The operators, read from table.json once and only when somebody asks."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from qdsl.ops.operator import Attribute, Operand, Operator


@cache
def _operators() -> dict[str, Operator]:
    text = resources.files("qdsl.ops").joinpath("table.json").read_text(encoding="utf-8")
    return {name: operator_of(name, entry) for name, entry in json.loads(text)["operators"].items()}


def operator_of(name: str, entry: dict[str, Any]) -> Operator:
    """An operator from its entry in the table."""
    operands = tuple(
        Operand(o["name"], o["kind"], o.get("optional", False), o.get("doc", "")) for o in entry["operands"]
    )
    attributes = tuple(
        Attribute(a["name"], a["type"], _frozen(a.get("default")), "default" not in a, a.get("doc", ""))
        for a in entry["attributes"]
    )
    return Operator(name, operands, attributes, entry["results"], entry["doc"])


def _frozen(value: Any) -> object:
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def lookup(name: str) -> Operator | None:
    """The operator of that name (`nn.conv2d`, without `relax.`), or None."""
    return _operators().get(name)


def names() -> list[str]:
    """The names of all operators, sorted."""
    return list(_operators())
