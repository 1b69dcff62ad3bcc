"""What every command does when something goes wrong: a sentence on stderr and the right exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import typer

from qdsl.errors import QdslError

FINDINGS = 1
"""Exit code: findings, failing tests, a missed minimum."""
UNUSABLE = 2
"""Exit code: wrong usage, unreadable input, or an internal error."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
PIPE_CLOSED = 141
"""Exit code when the reader of our output went away, as shells have it."""

REPORT_TO = "the issue tracker of the project"

_debug = False


def set_debug(on: bool) -> None:
    """Whether an error also shows its traceback."""
    global _debug
    _debug = on


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """`command`, with every exception turned into a sentence and an exit code."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except (typer.Exit, typer.BadParameter):
            raise
        except KeyboardInterrupt:
            _leave("interrupted", INTERRUPTED)
        except BrokenPipeError:
            # Nobody reads any more; without this Python complains once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except QdslError as error:
            _leave(f"error: {error}", UNUSABLE)
        except MemoryError:
            _leave("error: out of memory; use fewer samples, or a machine with more", UNUSABLE)
        except OSError as error:
            _leave(f"error: {_os_sentence(error)}", UNUSABLE)
        except Exception as error:
            _leave(_internal(command.__name__, error), UNUSABLE)

    return run


def _os_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{where}the disk is full; free some space or name another place, nothing was left half-written"
    return f"{where}{error.strerror or error}"


def _internal(command: str, error: Exception) -> str:
    first = str(error).strip().splitlines()
    said = f"{type(error).__name__}: {first[0][:200]}" if first else type(error).__name__
    return (
        f"internal error in `qdsl {command}`: {said}. This is a fault of qdsl, not of your input; please report it to "
        f"{REPORT_TO}, with the model if you can and what `qdsl {command} --debug ...` prints"
    )


def _leave(sentence: str, code: int) -> NoReturn:
    if _debug:
        traceback.print_exc(file=sys.stderr)
    print(f"qdsl: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None
