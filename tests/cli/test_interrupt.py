"""A run that is cut short leaves a sentence, the right exit code, and nothing half-written."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from .tiny import SHAPE, samples, tiny_model


def listen_to_signals() -> None:
    """What a shell starts in the background ignores SIGINT, and so would its children: the tests', and the command."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Sent while the model is compiled or calibrated; the samples are many, so that it takes its time."""
    tiny_model(tmp_path / "tiny.onnx")
    np.savez(tmp_path / "data.npz", x=np.zeros((20_000, *SHAPE[1:]), "float32"))
    command = [sys.executable, "-m", "qdsl.cli.main", "quantize", "tiny.onnx", "--calib", "data.npz", "-o", "out"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, preexec_fn=listen_to_signals
    ) as process:
        while not list(tmp_path.glob(".out.*")) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["data.npz", "tiny.onnx"]
    if number is signal.SIGINT:
        assert stderr.strip() == "qdsl: interrupted"


def test_a_full_disk(qdsl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from qdsl.report import Report

    def full(_report: Report, path: Path) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Report, "to_html", full)
    tiny_model(tmp_path / "tiny.onnx")
    np.savez(tmp_path / "data.npz", x=samples(1))
    done = qdsl("quantize", "tiny.onnx", "--calib", "data.npz", "-o", "out")
    assert done.returncode == 2
    assert "the disk is full" in done.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["data.npz", "tiny.onnx"]
