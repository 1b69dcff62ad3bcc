"""Options from a TOML file and from KEY=VALUE settings, with the place named in every refusal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from qdsl.config.options import QConfig
from qdsl.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SIZE_LIMIT = 1 << 20
"""Bytes; a configuration has some thirty lines, so a larger file is the wrong one."""


def from_toml(path: str | Path, base: QConfig | None = None) -> QConfig:
    """The options of a TOML file, one `key = value` a line, on top of `base`.

    Raises ConfigError that names the file for one that cannot be read or holds a bad option.
    """
    return _on_top(base, _read(Path(path)), f"{path}")


def with_settings(settings: Iterable[str], base: QConfig | None = None) -> QConfig:
    """`base` with KEY=VALUE settings on top; values as in TOML, a bare word being a string and `a,b` a list.

    Raises ConfigError for a setting that is not of that form, is made twice, or is refused.
    """
    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not key:
            raise ConfigError(f"--set {setting}: expected KEY=VALUE, such as calibrate_mode=percentile")
        if key in changes:
            raise ConfigError(f"--set {setting}: {key} is set twice; keep one of them")
        changes[key] = _value(text)
    return _on_top(base, changes, "--set")


def _on_top(base: QConfig | None, changes: dict[str, Any], place: str) -> QConfig:
    try:
        return base.replace(**changes) if base else QConfig(**changes)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise ConfigError(f"{path}: larger than {SIZE_LIMIT >> 20} MiB; is it a configuration?")
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; name the .toml file in it") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _value(text: str) -> Any:
    """A TOML value; failing that a list where commas stand, or the bare word."""
    if text in ("True", "False"):
        return text == "True"
    if text in ("none", "None", "null"):
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        pass
    if "," in text:
        return [_value(part.strip()) for part in text.strip("[]").split(",") if part.strip()]
    return text.strip("[]") if text.startswith("[") else text
