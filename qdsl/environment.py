"""Facts of the environment, gathered without judging them: `doctor` judges, a report's provenance quotes."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

from qdsl.version import __version__


@dataclass(frozen=True)
class Requirement:
    """One dependency as the package declares it."""

    name: str
    bounds: tuple[tuple[str, str], ...]
    """(operator, version), such as (("==", "0.27.0.post1"),); all of them hold."""
    extra: str | None = None
    """The optional extra that asks for it, or None for the core."""

    def __str__(self) -> str:
        return self.name + ",".join(operator + version for operator, version in self.bounds)


@dataclass(frozen=True)
class Environment:
    """What a diagnosis looks at; every field can be made up in a test."""

    python: tuple[int, int]
    requirements: tuple[Requirement, ...]
    installed: Mapping[str, str]
    """Version of each installed package among the requirements."""
    tvm_error: str | None
    """What went wrong when TVM was imported, or None."""
    tvm_has_llvm: bool
    linker: str | None
    """What links model.so, or None."""
    cpu_flags: frozenset[str]
    """CPU features that matter here, as Linux names them."""
    cores: int
    tvm_num_threads: str | None
    """The environment variable TVM_NUM_THREADS."""
    missing_resources: tuple[str, ...]
    """Parts of the package itself that are not there."""
    unwritable: tuple[str, ...]
    """Folders that a run writes to and may not."""
    free_bytes: int
    """Free space where temporary files go."""


def look_around() -> Environment:
    """The environment of this process. Imports TVM, which takes a second or two."""
    requirements = declared_requirements()
    num_threads = os.environ.get("TVM_NUM_THREADS")  # before qdsl.lower sets it
    tvm_error, has_llvm = _tvm()
    temporary = os.environ.get("TMPDIR", "/tmp")
    return Environment(
        python=sys.version_info[:2],
        requirements=requirements,
        installed={r.name: v for r in requirements if (v := installed_version(r.name))},
        tvm_error=tvm_error,
        tvm_has_llvm=has_llvm,
        linker=None if tvm_error else _linker(),
        cpu_flags=_cpu_flags(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        tvm_num_threads=num_threads,
        missing_resources=_missing_resources(),
        unwritable=tuple(folder for folder in (temporary, os.getcwd()) if not os.access(folder, os.W_OK)),
        free_bytes=shutil.disk_usage(temporary).free if Path(temporary).is_dir() else 0,
    )


def installed_version(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def versions() -> dict[str, str]:
    """Versions that a result depends on: qdsl, Python and the core dependencies that are installed."""
    core = [r.name for r in declared_requirements() if r.extra is None]
    found = {name: v for name in core if (v := installed_version(name))}
    return {"qdsl": __version__, "python": platform.python_version(), **found}


@cache
def declared_requirements() -> tuple[Requirement, ...]:
    """The dependencies of the installed qdsl, the core's and the extras'; empty when it is not installed."""
    try:
        lines = metadata.requires("qdsl") or []
    except metadata.PackageNotFoundError:
        return ()
    return tuple(requirement for line in lines if (requirement := parse_requirement(line)))


def parse_requirement(line: str) -> Requirement | None:
    """A requirement line such as `lark<2,>=1.1.9` or `dask>=2024.1; extra == "dask"`; None if not for this Python."""
    spec, _, marker = line.partition(";")
    if "python_version <" in marker and sys.version_info >= (3, 11):
        return None
    extra = marker.split("extra ==")[1].strip().strip("\"'") if "extra ==" in marker else None
    start = next((i for i, c in enumerate(spec) if c in "<>=!~"), len(spec))
    bounds = [part.strip() for part in spec[start:].split(",") if part.strip()]
    pairs = tuple(
        (bound.rstrip("0123456789.postrcab"), bound.lstrip("<>=!~ ")) for bound in sorted(bounds, reverse=True)
    )
    return Requirement(spec[:start].strip(), pairs, extra)


def _tvm() -> tuple[str | None, bool]:
    try:
        import tvm
    except Exception as error:  # a broken shared library raises whatever its loader raises
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", False
    return None, bool(tvm.runtime.enabled("llvm"))


def _linker() -> str | None:
    from qdsl.lower.export import find_linker

    command = find_linker()
    return command[0] if command else None


def _cpu_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    return frozenset(line.partition(":")[2].split()) & {"avx2", "avx512f", "avx512_vnni", "avx_vnni", "asimddp"}


def _missing_resources() -> tuple[str, ...]:
    missing = []
    for package, suffix, what in (
        ("qdsl.grammar", ".lark", "the grammar"),
        ("qdsl.rules", ".qrule", "the stock rules"),
    ):
        try:
            found = any(entry.name.endswith(suffix) for entry in resources.files(package).iterdir())
        except (ModuleNotFoundError, OSError):
            found = False
        if not found:
            missing.append(what)
    return tuple(missing)
