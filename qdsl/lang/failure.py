"""A syntax error as the parser meets it: how far it came, and what it would have accepted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from qdsl.lang.grammar import grammar
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import Word

BRACKETS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}


def attempt(words: Sequence[Word]) -> Any | int:
    """Lark's tree of `start`, or the index of the first word that does not fit: len(words) where the end does not."""
    from lark import Token
    from lark.exceptions import UnexpectedToken

    parser = grammar().parse_interactive()
    index = 0
    try:
        for word in words:
            parser.feed_token(Token(word.kind, word.text, word.start, end_pos=word.end))
            index += 1
        return parser.feed_eof()
    except UnexpectedToken:
        return index


def accepted_after(words: Sequence[Word]) -> frozenset[str]:
    """The terminals that can follow words that fit."""
    from lark import Token

    parser = grammar().parse_interactive()
    for word in words:
        parser.feed_token(Token(word.kind, word.text, word.start, end_pos=word.end))
    return frozenset(parser.accepts())


@dataclass(frozen=True)
class Failure:
    """The words of one item up to and beyond the first that does not fit."""

    source: Source
    words: tuple[Word, ...]
    index: int
    """Of the word that does not fit; len(words) where the item ends too early."""
    follower: Word | None
    """The keyword of the next item, or None at the end of the file."""

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The terminals that would have fitted, found from the state before the word: LALR reductions lose some."""
        return accepted_after(self.words[: self.index])

    @property
    def word(self) -> Word | None:
        """The word that does not fit, or None where the item ends too early."""
        return self.at(0)

    def at(self, offset: int) -> Word | None:
        """A word by its distance from the one that does not fit."""
        index = self.index + offset
        return self.words[index] if 0 <= index < len(self.words) else None

    @cached_property
    def span(self) -> Span:
        """The word that does not fit; the place behind the last word where the item ends too early."""
        if self.word is not None:
            return self.span_of(self.word)
        end = self.words[-1].end if self.words else 0
        return Span(self.source, end, end)

    @property
    def reach(self) -> int:
        """The offset up to which the text has to do with the failure: the next item where this one ends too early."""
        if self.word is not None:
            return self.word.start
        return self.follower.start if self.follower else len(self.source.text)

    def span_of(self, word: Word) -> Span:
        return Span(self.source, word.start, word.end)

    @cached_property
    def open_bracket(self) -> Word | None:
        """The innermost bracket that is open at the place."""
        stack: list[Word] = []
        for word in self.words[: self.index]:
            if word.kind in BRACKETS:
                stack.append(word)
            elif word.kind in BRACKETS.values() and stack:
                stack.pop()
        return stack[-1] if stack else None

    @property
    def wants_expression(self) -> bool:
        return {"INT", "LPAR", "NAME"} <= self.accepted
