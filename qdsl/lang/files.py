"""Rule files from disk: read once, decoded, or a Q0002 that says why not."""

from __future__ import annotations

import os

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.parse import LARGEST_FILE
from qdsl.lang.source import Source, Span


def read_source(path: str, used_at: Span | None = None) -> Source | Diagnostic:
    """The source of one file, or the Q0002 finding; `used_at` is the `use` that names it, where one does."""
    try:
        with open(path, "rb") as file:
            # Bounded, so that a device that never ends is refused like any file that is too large.
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return unreadable(path, used_at, "there is no such file", _near_by(path))
    except IsADirectoryError:
        return unreadable(path, used_at, "it is a folder", "name the .qrule files in it")
    except PermissionError:
        return unreadable(path, used_at, "reading it is not permitted", "change its permissions")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return unreadable(path, used_at, reason.lower(), None)
    if len(data) > LARGEST_FILE:
        return unreadable(path, used_at, f"it is larger than {LARGEST_FILE // 2**20} MiB", "is it a rule file?")
    try:
        return Source(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"it is not UTF-8 text: byte 0x{data[error.start]:02X} in line {line}"
        return unreadable(path, used_at, reason, "save it as UTF-8")


def unreadable(path: str, used_at: Span | None, reason: str, help_: str | None) -> Diagnostic:
    """The Q0002 of a file: at the `use` that names it, else at the file itself."""
    shown = path.encode("unicode_escape").decode("ascii") if not path.isprintable() else path
    span = used_at or Span(Source(shown, ""), 0, 0)
    return Diagnostic("Q0002", "error", f"cannot read {shown}: {reason}", Label(span, ""), help=help_)


def _near_by(path: str) -> str | None:
    """The file that was probably meant: one of the same folder with a similar name."""
    from qdsl.lang.nearest import nearest

    folder, name = os.path.split(path)
    try:
        present = [entry for entry in os.listdir(folder or ".") if entry.endswith(".qrule")]
    except (OSError, ValueError):
        return None
    meant = nearest(name, present)
    return f"did you mean {os.path.join(folder, meant)}?" if meant else None
