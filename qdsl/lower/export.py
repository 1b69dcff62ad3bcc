"""Compiled modules as shared libraries: written through a temporary name, read back with their signature."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qdsl.errors import BuildError

_DRIVERS = ("cc", "gcc", "clang", "g++", "clang++")
_LINKERS = ("ld", "ld.lld", "ld.gold")


def find_linker() -> list[str] | None:
    """The command that links a shared library here, or None. $CC wins; the objects need no C library of their own."""
    wanted = os.environ.get("CC", "").split()
    if wanted and shutil.which(wanted[0]):
        return [*wanted, "-shared", "-fPIC"]
    for driver in _DRIVERS:
        if found := shutil.which(driver):
            return [found, "-shared", "-fPIC"]
    for linker in _LINKERS:
        if found := shutil.which(linker):
            return [found, "-shared"]
    return None


def export_library(library: Any, path: Path) -> Path:
    """Write TVM's `library` to `path`. Raises BuildError when nothing can link, or the path cannot be written."""
    linker = find_linker()
    if linker is None:
        raise BuildError(
            f"cannot write {path}: no linker was found (looked for $CC, {', '.join(_DRIVERS + _LINKERS)}). "
            "Install a C compiler, for example the package gcc, or run the model in this process without exporting it."
        )
    if not path.parent.is_dir():
        raise BuildError(f"cannot write {path}: {path.parent} is not a folder.")
    try:
        with tempfile.TemporaryDirectory(prefix=".qdsl-", dir=path.parent) as folder:
            made = Path(folder) / "library.so"
            with quiet():
                library.export_library(str(made), fcompile=lambda out, objects, **_: _link(linker, out, objects))
            os.replace(made, path)
    except OSError as error:
        raise BuildError(f"cannot write {path}: {error.strerror or error}.") from error
    return path


@contextmanager
def quiet() -> Iterator[None]:
    """Silence file descriptor 2: TVM warns there of its own kernels, not of what a user did."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _link(command: Sequence[str], output: str, objects: Sequence[str]) -> None:
    done = subprocess.run([*command, "-o", output, *objects], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it said nothing"]
        raise BuildError(f"linking with {command[0]} failed: {last[0]}")
