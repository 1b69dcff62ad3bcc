"""Run qdsl command lines: in this process, which is quick, or in one of their own, as people do."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """A command line that has run."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def qdsl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """qdsl(*arguments) in this process, in an empty folder."""
    from qdsl.cli.main import main

    monkeypatch.chdir(tmp_path)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        return Done(code, *capsys.readouterr())

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def qdsl_process(tmp_path: Path) -> Run:
    """qdsl_process(*arguments, env={...}) in a process of its own, in an empty folder."""

    def run(*arguments: object, env: dict[str, str] | None = None) -> Done:
        command = [sys.executable, "-m", "qdsl.cli.main", *map(str, arguments)]
        environment = {**os.environ, **(env or {})}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
        return Done(done.returncode, done.stdout, done.stderr)

    return run
