"""The comments of a file and the word that each stands behind or before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qdsl.lang.source import Source
from qdsl.lang.tokens import Word, comments

LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class Remark:
    """One comment."""

    text: str
    """From the `#` on, without blanks at its end."""
    gap: int
    """It stands before the word of this number, or behind the last one."""
    own_line: bool
    """Nothing else stands on its line."""
    column: int
    """Blanks before it on its own line; a tab counts as up to four."""
    after_blank: bool
    """An empty line stands right above it."""


@dataclass(frozen=True)
class Gap:
    """What stands between two words, or before the first or behind the last."""

    remarks: tuple[Remark, ...]
    breaks: bool
    """A line ends in it."""
    blank: bool
    """An empty line stands right before the word behind it."""


def read_gaps(source: Source, words: tuple[Word, ...]) -> list[Gap]:
    """The gaps of a file, one more than it has words."""
    found = comments(source, words)
    gaps: list[Gap] = []
    place = 0
    for number in range(len(words) + 1):
        start = words[number - 1].end if number else 0
        end = words[number].start if number < len(words) else len(source.text)
        remarks: list[Remark] = []
        at = start
        while place < len(found) and found[place].start < end:
            span = found[place]
            before = source.text[at : span.start]
            own = bool(LINE_END.search(before)) or (start == 0 and not remarks)
            indent = LINE_END.split(before)[-1].expandtabs(4)
            blank = len(LINE_END.findall(before)) > 1
            remarks.append(Remark(span.text.rstrip(), number, own, len(indent), blank))
            at, place = span.end, place + 1
        rest = LINE_END.findall(source.text, at, end)
        gaps.append(Gap(tuple(remarks), bool(rest) or bool(remarks), len(rest) > 1))
    return gaps


def remark_texts(source: Source, words: tuple[Word, ...]) -> list[str]:
    """What the comments say, in order: the part of them that formatting must keep."""
    return [span.text.rstrip() for span in comments(source, words)]
