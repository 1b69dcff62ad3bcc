"""Running the blocks of a page: in this process where that does the same, because TVM takes a second to import.

A shell block whose lines are all `qdsl ...` or `python FILE` is run here; any other is bash's. The Python blocks of a
page are one program.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHELL = set("|&;<>$`*?(){}\\'\"#~\n")
"""Signs that bash has a meaning for; a line with one of them is left to it."""


@dataclass(frozen=True)
class Done:
    """A block that has run."""

    code: int
    stdout: str
    stderr: str


@dataclass
class Runner:
    """Runs the blocks of one page, in one folder."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    """What the page's Python blocks have bound so far."""

    def python(self, text: str, place: str) -> Done:
        """A Python block, after those before it."""
        return self._here(lambda: exec(compile(text, place, "exec"), self.names))

    def shell(self, text: str) -> Done:
        """A shell block; of several lines the first that fails ends it."""
        lines = [line.partition("  #")[0].strip() for line in text.splitlines() if line.strip()]
        if not all(_is_plain(line) for line in lines):
            return self.bash(text)
        out, err = "", ""
        for line in lines:
            done = self._here(lambda line=line: _run(shlex.split(line)))  # type: ignore[misc]
            out, err = out + done.stdout, err + done.stderr
            if done.code:
                return Done(done.code, out, err)
        return Done(0, out, err)

    def bash(self, text: str) -> Done:
        """A block by bash, with this environment's programs first in the path."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env={**os.environ, "PATH": path},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def _here(self, action: Callable[[], object]) -> Done:
        out, err, code = io.StringIO(), io.StringIO(), 0
        with _inside(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                action()
            except SystemExit as end:
                code = int(end.code or 0)
            except Exception:
                code = 1
                traceback.print_exc()
        return Done(code, out.getvalue(), err.getvalue())


def _is_plain(line: str) -> bool:
    return line.split()[0] in ("qdsl", "python") and not SHELL & set(line) and not line.startswith("python -")


def _run(words: list[str]) -> None:
    if words[0] == "qdsl":
        from qdsl.cli.main import main

        main(words[1:])
    else:
        runpy.run_path(words[1], run_name="__main__")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """In a folder, and with nothing that a command does to its process left over."""
    before, search = Path.cwd(), list(sys.path)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = search
        for number, handler in handlers.items():
            signal.signal(number, handler)
