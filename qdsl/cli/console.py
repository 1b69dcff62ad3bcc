"""How commands print: findings on stdout, colour only where somebody sees it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


class Format(str, Enum):
    """How a command prints its result."""

    pretty = "pretty"
    json = "json"


PIPE_WIDTH = 200
"""Columns of a table that no terminal limits."""


def use_color(stream: TextIO) -> bool:
    """Whether `stream` is a terminal whose owner did not ask for plain text (NO_COLOR, TERM=dumb)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def console(stream: TextIO) -> Console:
    """A rich console on a stream; plain and wide where the stream is no terminal."""
    from rich.console import Console

    color = use_color(stream)
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, no_color=not color, force_terminal=color or None, width=width, highlight=False)


def show(renderable: RenderableType | Callable[[int], RenderableType]) -> None:
    """Print a rich table or the like on stdout; a function is asked for it with the width."""
    out = console(sys.stdout)
    out.print(renderable(out.width) if callable(renderable) else renderable)


def show_json(data: Any) -> None:
    """Print data as JSON on stdout; a number that is not finite is an error here, never NaN."""
    print(json.dumps(data, indent=1, allow_nan=False))


def say(text: str) -> None:
    """Print a line for people on stderr, out of the way of what a pipe reads."""
    print(text, file=sys.stderr)


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Left-aligned columns, two blanks apart; the last one is not padded."""
    lines = [list(row) for row in rows]
    if not lines:
        return ""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    return "\n".join(
        "  ".join([*(c.ljust(w) for c, w in zip(line, widths, strict=False)), line[-1]]).rstrip() for line in lines
    )
