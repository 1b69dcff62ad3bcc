"""What is wrong with an environment, and the command that mends it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qdsl.environment import Environment, Requirement

PURPOSE = {
    "bench": "comparison with ONNX Runtime",
    "report": "report as a data frame",
}
"""What each optional extra is for."""
NEEDED_BYTES = 200 << 20
"""Free space that compiling a large model takes, with room to spare."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    status: str
    """ok | note (works, could be better) | wrong"""
    said: str
    mend: str = ""
    """The command or step that mends it; empty where nothing needs mending."""


def diagnose(environment: Environment) -> tuple[Finding, ...]:
    """Everything that was looked at, in the order in which one would mend it."""
    return tuple(finding for examine in EXAMINATIONS for finding in examine(environment))


def _python(env: Environment) -> Iterator[Finding]:
    version = ".".join(map(str, env.python))
    if env.python < (3, 10):
        yield Finding("python", "wrong", f"{version} is too old: qdsl needs 3.10", "make clean demo PYTHON=python3.12")
    else:
        yield Finding("python", "ok", version)


def _dependencies(env: Environment) -> Iterator[Finding]:
    if not env.requirements:
        yield Finding("qdsl", "wrong", "is not installed, so its dependencies are unknown", _pip("-e ."))
    for requirement in env.requirements:
        if requirement.extra is None:
            yield _dependency(requirement, env.installed.get(requirement.name))


def _dependency(requirement: Requirement, version: str | None) -> Finding:
    name = requirement.name
    mend = _pip(f"'{requirement}'")
    if version is None:
        return Finding(name, "wrong", f"is not installed; {requirement} is needed", mend)
    if satisfies(version, requirement):
        return Finding(name, "ok", version)
    why = ": other versions crash in Schedule.tensorize" if name == "apache-tvm-ffi" else ""
    return Finding(name, "wrong", f"{version} is installed and {requirement} is needed{why}", mend)


def _tvm(env: Environment) -> Iterator[Finding]:
    if env.tvm_error:
        yield Finding("tvm", "wrong", f"cannot be imported ({env.tvm_error})", _pip("--force-reinstall apache-tvm"))
    elif not env.tvm_has_llvm:
        yield Finding(
            "tvm", "wrong", "was built without LLVM, so no CPU code comes of it", _pip("--force-reinstall apache-tvm")
        )
    else:
        yield Finding("tvm", "ok", "imports, with LLVM")


def _package(env: Environment) -> Iterator[Finding]:
    for part in env.missing_resources:
        yield Finding("package", "wrong", f"{part} cannot be found in it", _pip("--force-reinstall --no-deps qdsl"))


def _linker(env: Environment) -> Iterator[Finding]:
    if env.tvm_error:
        return  # nobody was asked
    if env.linker is None:
        yield Finding(
            "linker", "wrong", "no C compiler or linker to make model.so with", "apt install gcc   (or set CC)"
        )
    else:
        yield Finding("linker", "ok", env.linker)


def _cpu(env: Environment) -> Iterator[Finding]:
    flags = ", ".join(sorted(env.cpu_flags)) or "none of the features that the fast kernels use"
    fast = env.cpu_flags & {"avx512_vnni", "avx_vnni", "asimddp"}
    status, said = ("ok", flags) if fast else ("note", f"{flags}: no 8-bit dot product, so int8 gains less speed here")
    yield Finding("cpu", status, said)


def _threads(env: Environment) -> Iterator[Finding]:
    wanted = env.tvm_num_threads
    if wanted is None:
        yield Finding("threads", "ok", f"{env.cores} cores")
    elif not wanted.isdecimal() or int(wanted) < 1:
        yield Finding(
            "threads", "wrong", f"TVM_NUM_THREADS={wanted} is not a number of threads", "unset TVM_NUM_THREADS"
        )
    elif int(wanted) > env.cores:
        yield Finding(
            "threads", "note", f"TVM_NUM_THREADS={wanted} on {env.cores} cores", f"export TVM_NUM_THREADS={env.cores}"
        )
    else:
        yield Finding("threads", "ok", f"TVM_NUM_THREADS={wanted} of {env.cores} cores")


def _disk(env: Environment) -> Iterator[Finding]:
    for folder in env.unwritable:
        yield Finding("disk", "wrong", f"{folder} cannot be written to", f"chmod u+w {folder}   (or set TMPDIR)")
    free = f"{env.free_bytes >> 20} MiB free for temporary files"
    if env.free_bytes < NEEDED_BYTES:
        yield Finding("disk", "wrong", f"only {free}", "free some space, or set TMPDIR to a larger disk")
    elif not env.unwritable:
        yield Finding("disk", "ok", free)


def _extras(env: Environment) -> Iterator[Finding]:
    for extra, purpose in PURPOSE.items():
        asked = [r for r in env.requirements if r.extra == extra]
        missing = [r.name for r in asked if r.name not in env.installed]
        if asked and not missing:
            yield Finding(f"[{extra}]", "ok", purpose)
        elif asked:
            yield Finding(
                f"[{extra}]", "note", f"{', '.join(missing)} not installed: no {purpose}", _pip(f"'qdsl[{extra}]'")
            )


EXAMINATIONS: tuple[Callable[[Environment], Iterator[Finding]], ...] = (
    *(_python, _dependencies, _tvm, _package),
    *(_linker, _cpu, _threads, _disk, _extras),
)


def _pip(arguments: str) -> str:
    return f"{sys.executable} -m pip install {arguments}"


def satisfies(version: str, requirement: Requirement) -> bool:
    """Whether a version lies within all bounds (the operators ==, >=, <, which are those that qdsl declares)."""
    own = _key(version)
    compare = {"==": own.__eq__, ">=": own.__ge__, "<": own.__lt__}
    return all(compare[operator](_key(bound)) for operator, bound in requirement.bounds)


def _key(version: str) -> tuple[tuple[int, ...], int]:
    """(release, post) as numbers: 0.27.0.post1 -> ((0, 27), 1); trailing zeros do not count."""
    release, _, post = version.partition(".post")
    numbers = [
        int(digits.group()) if (digits := re.match(r"\d+", part)) else 0 for part in release.split("+")[0].split(".")
    ]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), int(post) if post.isdecimal() else 0
