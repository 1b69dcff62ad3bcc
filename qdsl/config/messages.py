"""Refusals in words: an unknown option with its nearest name, a bad value with what would be accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from qdsl.errors import ConfigError
from qdsl.lang.nearest import nearest

RENAMED = {"skip_k_conv": "skip_conv_layers"}
"""Options of older versions of relay.quantize, and what they are called now."""
RETIRED = {"use_stop_fusion": "integer regions are fused by the compiler, and stop_fusion is no more"}
"""Options of older versions that nothing took the place of, and why."""


def unknown(name: str, known: Sequence[str]) -> str:
    """The sentence for an option that does not exist: its successor, or the nearest name, or where to look."""
    if name in RENAMED:
        return f"option {name} is now called {RENAMED[name]}"
    if name in RETIRED:
        return f"option {name} is gone: {RETIRED[name]}; leave it out"
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else "`qdsl config` lists the options"
    return f"there is no option {name}; {hint}"


def refuse_unknown(data: Mapping[Any, Any], known: Sequence[str]) -> None:
    """Raise ConfigError that names every key of `data` that is not an option."""
    found = [unknown(str(name), known) for name in data if name not in known]
    if found:
        raise ConfigError("; ".join(found))


def sentence(error: ValidationError, fields: Mapping[str, FieldInfo]) -> str:
    """Every bad value of `error`: the option, the value, what is accepted."""
    first: dict[str, str] = {}
    for problem in error.errors():
        name = str(problem["loc"][0]) if problem["loc"] else ""
        first.setdefault(name, _one(name, problem, fields[name]) if name in fields else str(problem["msg"]))
    return "; ".join(first.values())


def _one(name: str, problem: Any, field: FieldInfo) -> str:
    value = problem["input"]
    if problem["type"] == "value_error":
        return f"option {name}: {problem['ctx']['error']}"
    extra = field.json_schema_extra
    valid = str(extra["valid"]) if isinstance(extra, dict) else ""
    near = nearest(value, valid.split(", ")) if isinstance(value, str) else None
    hint = f"; did you mean {near}?" if near else ""
    return f"option {name} = {value!r} is not valid: it takes {valid}{hint}"
