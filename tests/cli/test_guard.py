"""Every exception becomes a sentence and an exit code."""

import errno

import pytest
import typer

from qdsl.cli import guard
from qdsl.errors import DataError


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (DataError("input x: sample 3 holds a NaN"), 2, "error: input x: sample 3 holds a NaN"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "No space left on device", "out/model.so"), 2, "error: out/model.so: the disk is full"),
        (OSError(errno.EACCES, "Permission denied", "out"), 2, "error: out: Permission denied"),
        (MemoryError(), 2, "error: out of memory"),
        (ValueError("odd\nInternalError: check failed"), 2, "internal error in `qdsl command`: ValueError: odd."),
        (AssertionError(), 2, "internal error in `qdsl command`: AssertionError."),
    ],
)
def test_sentence_and_code(error: BaseException, code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as leave:
        guard.guarded(command)()
    assert leave.value.exit_code == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"qdsl: {words}")
    assert printed.err.count("\n") == 1, "one paragraph"
    assert "Traceback" not in printed.err


def test_an_internal_error_asks_to_be_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise RuntimeError("x")

    with pytest.raises(typer.Exit):
        guard.guarded(command)()
    assert "please report it" in capsys.readouterr().err


def test_exits_pass_through() -> None:
    def command() -> None:
        raise typer.Exit(1)

    with pytest.raises(typer.Exit) as leave:
        guard.guarded(command)()
    assert leave.value.exit_code == 1
