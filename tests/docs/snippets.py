"""The code blocks of the documentation, with the comment that stands above each.

A comment right above a block says how it is tested:

    <!-- not run: REASON -->       it is left alone
    <!-- exit 1 -->                a shell block whose last command ends with this code
    <!-- prints -->                a text block: what the block before it prints, numbers aside
    <!-- from PATH -->             stands word for word in that file of the tree
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


@dataclass(frozen=True)
class Snippet:
    """One fenced block."""

    page: Path
    line: int
    language: str
    text: str
    mark: str
    """The comment above it, or nothing."""

    @property
    def exit_code(self) -> int:
        return int(self.mark.removeprefix("exit ")) if self.mark.startswith("exit ") else 0

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def snippets(page: Path) -> list[Snippet]:
    """Every fenced block of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("language")) + 1
        found.append(Snippet(page, line, match["language"], match["text"], match["mark"] or ""))
    assert len(found) * 2 == len(re.findall(r"^```", text, re.M)), f"{page}: a block that the extractor does not see"
    return found


def shape_of(text: str) -> str:
    """Printed text without what differs between machines: numbers, and blanks that numbers push around."""
    return "\n".join(" ".join(NUMBER.sub("#", line).split()) for line in text.strip().splitlines())
