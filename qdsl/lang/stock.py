"""Where the stock rules are: the package data of `qdsl.rules`, or the checkout's rules/ folder."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def rules_folder() -> Path:
    """The folder of the stock rules."""
    try:
        installed = Path(str(resources.files("qdsl.rules")))
    except ModuleNotFoundError:
        return Path(__file__).resolve().parents[2] / "rules"
    return installed


def stock_paths() -> list[Path]:
    """The stock rule files, sorted by name; presets/ below them are by choice and not among these."""
    return sorted(rules_folder().glob("*.qrule"))


def preset_paths() -> dict[str, Path]:
    """The presets by name: {"integer_only": .../rules/presets/integer_only.qrule}."""
    return {path.stem: path for path in sorted((rules_folder() / "presets").glob("*.qrule"))}
