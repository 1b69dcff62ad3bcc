"""A progress bar on stderr for whatever takes longer than a second; none in pipes or with --quiet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PATIENCE_S = 1.0
"""How long a command may be silent."""


class Progress(Protocol):
    """What a long computation calls: the stage it is in, steps done, and steps in all where that is known."""

    def __call__(self, stage: str, done: int, total: int | None, /) -> None: ...


def _nobody_watches(_stage: str, _done: int, _total: int | None, /) -> None:
    pass


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """A callable to report progress to; it does nothing where nobody would see it."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _nobody_watches
        return
    bar = _Bar()
    timer = Timer(PATIENCE_S, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.update
    finally:
        timer.cancel()
        bar.close()


class _Bar:
    """One line that is drawn once it is shown and wiped when it closes. `show` runs in the timer's thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._state: tuple[str, int, int | None] = ("starting", 0, None)
        self._drawn: tuple[RichProgress, TaskID] | None = None
        self._closed = False

    def update(self, stage: str, done: int, total: int | None, /) -> None:
        with self._lock:
            self._state = (stage, done, total)
            if self._drawn:
                progress, task = self._drawn
                progress.update(task, description=stage, completed=done, total=total)

    def show(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        from qdsl.cli.console import console

        with self._lock:
            if self._closed:
                return
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            progress = Progress(*columns, console=console(sys.stderr), transient=True)
            stage, done, total = self._state
            self._drawn = progress, progress.add_task(stage, completed=done, total=total)
            progress.start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._drawn:
                self._drawn[0].stop()
