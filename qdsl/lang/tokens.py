"""Rule text as a list of words, whatever stands in it: what cannot be read is reported, mended or passed over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.grammar import words_of
from qdsl.lang.source import Source, Span
from qdsl.lang.stray import read_stray

MOST_STRAYS = 20
"""Places with unreadable characters after which the rest of a file is not looked at: it is not a rule file."""

COMMENT = re.compile(r"#[^\n\r]*")


class Word(NamedTuple):
    """A token: its terminal in the grammar, its text, and the half-open range of characters it was read from."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Tokens:
    """A file's words in order, what was wrong with its characters, and where."""

    words: tuple[Word, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    blamed: tuple[int, ...] = ()
    """Offsets of characters that could not be mended; a syntax error of the same item behind one is no news."""


def tokenize(source: Source) -> Tokens:
    """All words of a source. Never raises; diagnostics are Q0001."""
    from lark.exceptions import UnexpectedCharacters

    text, offset = source.text, 0
    words: list[Word] = []
    diagnostics: list[Diagnostic] = []
    blamed: list[int] = []
    while len(diagnostics) < MOST_STRAYS:
        try:
            for token in words_of(text[offset:]):
                words.append(Word(token.type, str(token), offset + token.start_pos, offset + token.end_pos))
            break
        except UnexpectedCharacters as error:
            start = offset + error.pos_in_stream
        stray = read_stray(source, start)
        diagnostics.append(stray.diagnostic)
        if stray.blamed is not None:
            blamed.append(stray.blamed)
        if stray.kind is not None:
            spelling = stray.spelling or text[start : stray.end]
            _mend(words, Word(stray.kind, spelling, start, stray.end))
        offset = stray.end
    else:
        here = Label(Span(source, offset, offset), "")
        message = f"more than {MOST_STRAYS} unreadable characters: from here on the file was not read"
        diagnostics.append(Diagnostic("Q0001", "error", message, here, help="is it a rule file, in UTF-8?"))
        blamed.append(offset)
    return Tokens(tuple(words), tuple(diagnostics), tuple(blamed))


def _mend(words: list[Word], word: Word) -> None:
    """Append a word made of stray characters; the letters of one name that they interrupt become one word again."""
    if word.kind == "NAME" and words and words[-1].end == word.start and words[-1].text.isidentifier():
        before = words.pop()
        word = Word("NAME", before.text + word.text, before.start, word.end)
    words.append(word)


def comments(source: Source, words: tuple[Word, ...]) -> list[Span]:
    """The comments of a file, in order: they stand in the gaps between words, each from `#` to the end of its line."""
    edges = [0, *(edge for word in words for edge in (word.start, word.end)), len(source.text)]
    found: list[Span] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        found.extend(Span(source, m.start(), m.end()) for m in COMMENT.finditer(source.text, start, end))
    return found
