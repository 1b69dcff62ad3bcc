"""Making findings: one line of code for each, in the shape that `render` shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.nearest import nearest
from qdsl.lang.source import Span

Other: TypeAlias = tuple[Span, str]
"""A second place and what is to be said of it."""


def error(
    code: str, message: str, at: Span, label: str = "", *, others: Iterable[Other] = (), help: str | None = None
) -> Diagnostic:
    """A finding that makes the rules unusable."""
    return Diagnostic(code, "error", message, Label(at, label), tuple(Label(s, m) for s, m in others), help)


def warning(
    code: str, message: str, at: Span, label: str = "", *, others: Iterable[Other] = (), help: str | None = None
) -> Diagnostic:
    """A finding that is probably a mistake."""
    return Diagnostic(code, "warning", message, Label(at, label), tuple(Label(s, m) for s, m in others), help)


def note(
    code: str, message: str, at: Span, label: str = "", *, others: Iterable[Other] = (), help: str | None = None
) -> Diagnostic:
    """Something worth knowing."""
    return Diagnostic(code, "note", message, Label(at, label), tuple(Label(s, m) for s, m in others), help)


def meant(word: str, candidates: Iterable[str]) -> str:
    """`did you mean gamma?`, or which names there are, or nothing."""
    known = sorted(set(candidates))
    bare = word.removeprefix("is_")
    longer = [k for k in known if len(bare) > 1 and k.startswith(bare)]
    near = nearest(word, known) or (longer[0] if len(longer) == 1 else None)
    if near is not None:
        return f"did you mean {near}?"
    return f"known here: {listed(known)}" if known else ""


def listed(words: Iterable[str], most: int = 12) -> str:
    """`a, b, c`, cut with an ellipsis."""
    every = list(words)
    return ", ".join(every[:most]) + (", ..." if len(every) > most else "")


def counted(number: int, noun: str) -> str:
    """`1 operand`, `2 operands`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
