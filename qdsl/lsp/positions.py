"""Places in a text as editors count them: lines from 0, and units of an encoding within a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

LINE_END = re.compile(r"\r\n|\n|\r")

WIDTHS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Places:
    """One text. Characters are counted from its beginning; (line, unit) is what the editor says."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Offsets at which lines begin."""
        return (0, *(m.end() for m in LINE_END.finditer(self.text)))

    def place(self, offset: int) -> tuple[int, int]:
        """The line and unit of a character offset; one beyond the end is the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.starts, offset) - 1
        return line, self._units(self.text[self.starts[line] : offset])

    def offset(self, line: int, unit: int) -> int:
        """The offset of a line and unit; beyond the line's end it is that end, as the protocol wants it."""
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[line]
        found = LINE_END.search(self.text, start)
        content = self.text[start : found.start() if found else len(self.text)]
        if self.encoding == "utf-32" or content.isascii():
            return start + min(unit, len(content))
        for index, character in enumerate(content):
            if unit <= 0:
                return start + index
            unit -= self._units(character)
        return start + len(content)

    def _units(self, piece: str) -> int:
        if piece.isascii():
            return len(piece)
        return len(piece.encode(WIDTHS[self.encoding], "surrogatepass")) // UNIT_BYTES[self.encoding]
