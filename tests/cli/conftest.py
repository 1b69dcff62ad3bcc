"""Run a qdsl command line in a process of its own, as people do."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
MODELS = ROOT / "examples" / "models"


@pytest.fixture
def qdsl(tmp_path: Path) -> Run:
    """qdsl(*arguments, env={...}) -> the finished process; it runs in an empty folder."""

    def run(*arguments: object, env: dict[str, str] | None = None, cwd: Path | None = None):
        command = [sys.executable, "-m", "qdsl.cli.main", *map(str, arguments)]
        environment = {**os.environ, **(env or {})}
        return subprocess.run(
            command, capture_output=True, text=True, cwd=cwd or tmp_path, env=environment, timeout=300
        )

    return run
