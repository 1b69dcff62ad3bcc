"""Changes of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from qdsl.lang.source import Span


@dataclass(frozen=True)
class Edit:
    """Characters [start, end) of a text, and what to write in their place."""

    start: int
    end: int
    text: str

    @staticmethod
    def of(span: Span, text: str) -> Edit:
        return Edit(span.start, span.end, text)


def line_edits(before: str, after: str) -> Iterator[Edit]:
    """What to change to come from one text to another, whole lines at a time."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(starts[a], starts[b], "".join(new[c:d]))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits made; they may not overlap."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
