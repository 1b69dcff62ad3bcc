"""The options as a table: what `qdsl config` prints and docs/configuration.md holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from qdsl.config.messages import unknown
from qdsl.config.options import QConfig
from qdsl.errors import ConfigError


@dataclass(frozen=True)
class OptionRow:
    """What there is to say of one option."""

    name: str
    default: str
    """As it would be written in TOML; `none` where there is no value."""
    valid: str
    meaning: str
    relay: str
    """What the option was in relay.quantize, and what became of it."""


def describe() -> tuple[OptionRow, ...]:
    """Every option, in the order of QConfig: formats, ranges, operators, arithmetic, stages."""
    return tuple(_row(name) for name in QConfig.model_fields)


def describe_one(name: str) -> OptionRow:
    """One option; ConfigError with the nearest name, or the successor, where there is none of that name."""
    if name not in QConfig.model_fields:
        raise ConfigError(unknown(name, tuple(QConfig.model_fields)))
    return _row(name)


def markdown(rows: Iterable[OptionRow] | None = None) -> str:
    """docs/configuration.md, with these rows or all of them."""
    return "".join([_PREFACE, *map(_line, describe() if rows is None else rows)])


_PREFACE = """\
# Configuration

Options are given as `qdsl.QConfig(name=value)`, in a TOML file (`--config FILE.toml`, one `name = value` a line), or on
the command line (`--set name=value`, which wins over the file). An unknown option or a bad value is refused before
anything is computed. An option that is not set leaves the schemes of the rule files as they are written.

`qdsl.QConfig.relay()` gives the defaults that relay.quantize had. This page is written by `make docs`.

| option | default | valid values | meaning | in relay.quantize |
|---|---|---|---|---|
"""


def _line(row: OptionRow) -> str:
    default = "none" if row.default == "none" else f"`{row.default}`"
    return f"| `{row.name}` | {default} | {row.valid} | {row.meaning} | {row.relay} |\n"


def _row(name: str) -> OptionRow:
    field = QConfig.model_fields[name]
    extra: Any = field.json_schema_extra
    return OptionRow(name, _written(field.default), extra["valid"], str(field.description), extra["relay"])


def _written(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    return str(value)
