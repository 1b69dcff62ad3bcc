"""The bar shows after a second on a terminal, and nowhere else."""

import io
import sys

import pytest

from qdsl.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Called by each test itself: pytest puts its own stderr back between a fixture and the test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_no_bar_in_pipes_or_when_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress.progress_bar(quiet=True) as report:
        report("calibrate", 1, 10)
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress.progress_bar(quiet=False) as report:
        report("calibrate", 1, 10)
    assert (terminal.getvalue(), pipe.getvalue()) == ("", "")


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress.progress_bar(quiet=False) as report:
        report("calibrate", 1, 10)
    assert terminal.getvalue() == ""


def test_what_is_slow_shows_its_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    bar = progress._Bar()
    bar.update("load", 0, None)
    bar.show()
    bar.update("calibrate", 3, 10)
    bar.close()
    assert "load" in terminal.getvalue()
    assert "3/10" in terminal.getvalue()


def test_a_timer_that_fires_late_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    bar = progress._Bar()
    bar.close()
    bar.show()
    assert terminal.getvalue() == ""
