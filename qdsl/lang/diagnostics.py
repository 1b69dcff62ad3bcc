"""A finding about a rule file, as data; how it looks is the business of `render`."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.lang.source import Span


@dataclass(frozen=True)
class Label:
    """A span and what is to be said of it."""

    span: Span
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding of the parser or the checker."""

    code: str
    """Q followed by four digits."""
    severity: str
    """error | warning | note"""
    message: str
    primary: Label
    """The place of the finding; its message may be empty."""
    secondary: tuple[Label, ...] = ()
    """Other places that are to blame."""
    help: str | None = None
    """What to do, in one line."""

    @property
    def is_error(self) -> bool:
        return self.severity == "error"
