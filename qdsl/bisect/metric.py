"""What a bisection holds against its bound: a number that should be high.

`sqnr` is the signal-to-noise ratio in dB of the worst output against the float model. A command is run with the path of
an .npz file behind its arguments, the model's outputs by name with samples first, and prints a number; the last one
on its standard output counts.
"""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.errors import ConfigError
from qdsl.session.profile import worst_sqnr

Values = Mapping[str, NDArray[Any]]
Metric = Callable[[Sequence[Values], Sequence[Values]], float]
"""(outputs in float, outputs as quantized), sample by sample, to a number; infinite where both are equal."""
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf")


def metric_of(text: str) -> Metric:
    """The metric that a command line names."""
    return sqnr if text == "sqnr" else command_metric(text)


def sqnr(truths: Sequence[Values], made: Sequence[Values]) -> float:
    """The SQNR in dB of the worst output."""
    worst = worst_sqnr(truths, made, list(truths[0]) if truths else [])
    return math.inf if worst is None else worst


def command_metric(command: str) -> Metric:
    """What a command prints of the quantized outputs. Raises ConfigError where it fails or prints no number."""

    def measured(_truths: Sequence[Values], made: Sequence[Values]) -> float:
        with tempfile.TemporaryDirectory(prefix="qdsl-") as folder:
            path = Path(folder) / "outputs.npz"
            arrays: dict[str, Any] = stacked(made)
            np.savez(path, **arrays)
            return run_command(command, path)

    return measured


def stacked(values: Sequence[Values]) -> dict[str, NDArray[Any]]:
    """All samples of each output in one array, one behind the other along the first axis."""
    names = list(values[0]) if values else []
    return {n: np.concatenate([np.atleast_1d(v[n]) for v in values]) for n in names}


def run_command(command: str, path: Path) -> float:
    """The last number that `command PATH` prints. Raises ConfigError with what it said where there is none."""
    done = subprocess.run(f"{command} {shlex.quote(str(path))}", shell=True, capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ConfigError(f"--metric {command!r} ended with {done.returncode}: {said[-1] if said else 'nothing said'}")
    found = NUMBER.findall(done.stdout)
    if not found:
        raise ConfigError(f"--metric {command!r} printed no number: {done.stdout.strip()[:200]!r}")
    return float(found[-1])
