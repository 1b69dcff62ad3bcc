"""Formatting as edits of the lines that change, so that cursors and marks elsewhere stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from qdsl.lang.format import format_text
from qdsl.lsp.document import Document


@dataclass(frozen=True)
class Edit:
    """Characters [start, end) of a text, and what to write in their place."""

    start: int
    end: int
    text: str


def format_edits(document: Document) -> list[Edit] | None:
    """The edits that bring a document into the one style; None where it has syntax errors."""
    written = format_text(document.text, document.path).text
    return None if written is None else list(line_edits(document.text, written))


def line_edits(before: str, after: str) -> Iterator[Edit]:
    """What to change to come from one text to another, whole lines at a time."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(starts[a], starts[b], "".join(new[c:d]))


def apply(text: str, edits: list[Edit]) -> str:
    """A text with edits made; they may not overlap."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
