"""Rule files as a command line names them: files, folders, or the stock rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qdsl.errors import RuleError


def rule_files(paths: Sequence[Path] | None) -> list[Path]:
    """The files themselves, the .qrule files below each folder, or the stock rules where nothing is named.

    Raises RuleError for a folder without rule files. A file that is not there is the reader's to report.
    """
    if not paths:
        from qdsl.lang.stock import stock_paths

        return [Path(path) for path in stock_paths()]
    return list(dict.fromkeys(file for path in paths for file in _below(path)))


def _below(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*.qrule") if file.is_file())
    if not files:
        raise RuleError(f"{path}: no .qrule files in this folder; name the files, or nothing for the stock rules")
    return files
