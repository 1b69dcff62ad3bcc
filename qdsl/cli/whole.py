"""Output that is there as a whole or not at all: written beside its place, then renamed into it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qdsl.errors import QdslError


class OutputError(QdslError):
    """A place that cannot be written to, or holds something that is not ours to replace."""


def refuse_foreign(folder: Path) -> None:
    """Raise OutputError unless `folder` can become our output: new, empty, or written by qdsl before.

    Meant to be called before anything is computed, so that nobody waits for a refusal.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; name a folder for the output")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "report.json").exists():
        raise OutputError(f"{folder}: holds files that qdsl did not write; name another folder, or empty this one")
    _need_parent(folder)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write into; it takes `folder`'s place when the block ends well, and is removed otherwise."""
    refuse_foreign(folder)
    folder = folder.absolute()
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
    try:
        temporary.chmod(0o777 & ~_umask())  # mkdtemp makes it private
        yield temporary
        _swap(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """A path to write to, with `file`'s suffix; what is written there replaces `file` when the block ends well."""
    if file.is_dir():
        raise OutputError(f"{file}: is a folder; name a file for the output")
    _need_parent(file)
    temporary = file.with_name(f".{file.stem}.{os.getpid()}.partial{file.suffix}")
    try:
        yield temporary
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def _swap(temporary: Path, folder: Path) -> None:
    if not folder.exists():
        temporary.rename(folder)
        return
    old = temporary.with_suffix(".old")
    folder.rename(old)
    try:
        temporary.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _need_parent(path: Path) -> None:
    parent = path.absolute().parent
    if not parent.is_dir():
        raise OutputError(f"{path}: there is no folder {parent} to put it into; make it first")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"{path}: {parent} cannot be written to")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
