"""Where a piece of rule text stands: a source file and a span in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Source:
    """One rule file, kept whole so that every message can show the line it speaks of."""

    path: str
    """The path as the user wrote it (or as `use` resolved it); shown in messages."""
    text: str = field(repr=False)
    """The decoded UTF-8 text."""

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which lines begin; line n (1-based) begins at `line_starts[n - 1]`."""
        return (0, *(match.end() for match in re.finditer("\n", self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based (line, column) of a character offset; columns count characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line without its line break; empty beyond the end."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@dataclass(frozen=True, order=True)
class Span:
    """A half-open range of characters [start, end) of a source."""

    source: Source = field(compare=False, repr=False)
    start: int
    end: int

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def end_line(self) -> int:
        return self.source.position(self.end)[0]

    @property
    def end_column(self) -> int:
        return self.source.position(self.end)[1]

    @property
    def text(self) -> str:
        """The characters covered, exactly as they stand in the file."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other` (same source)."""
        return Span(self.source, self.start, other.end)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"
