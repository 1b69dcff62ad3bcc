"""What stands around the cursor while somebody types: the item begun, its clause, the brackets still open.

Read from words and not from the tree, because an item that is being written has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from qdsl.lang.expected import ITEM_KEYWORDS, terminal_of
from qdsl.lang.failure import BRACKETS, accepted_after, attempt
from qdsl.lang.segments import Words, split_items, starts_line
from qdsl.lang.source import Source
from qdsl.lang.tokens import Word, comments, tokenize
from qdsl.lsp.document import Document

CLAUSES = ("for", "overrides", "match", "when", "annotate", "realize", "rewrite", "because", "given", "expect")

HEADS = {
    "match": "rule r match",
    "when": "rule r match y = f(x) when",
    "annotate": "rule r match y = f(x) annotate",
    "realize": "rule r match y = f(x) annotate y as a realize",
    "rewrite": "fold r match y = f(x) rewrite",
    "given": 'test r "" given',
    "expect": 'test r "" given y = f(x) expect',
}
"""A sound beginning of an item up to a clause, for where the real one has an error."""


@dataclass(frozen=True)
class Opened:
    """A bracket that is open at the cursor."""

    bracket: Word
    func: str
    """The dotted name before it; empty for a list, a group or an axis."""
    index: int
    """Arguments before the cursor's."""
    keyword: str | None
    """The name before the `=` of the cursor's argument."""
    before: Word | None
    """The word before the bracket (before the dotted name: see `func`)."""
    first: str | None
    """The first argument, where it is one name."""


@dataclass(frozen=True)
class Cursor:
    """A place in a document, and what was written before it."""

    document: Document
    offset: int

    @cached_property
    def is_in_comment(self) -> bool:
        return any(s.start < self.offset <= s.end for s in comments(self.document.source, self.document.words))

    @cached_property
    def string(self) -> Word | None:
        """The string that the cursor is in."""
        inside = (w for w in self.document.words if w.kind == "STRING" and w.start < self.offset)
        return next((w for w in inside if self.offset < w.end or _is_unclosed(w, self.offset)), None)

    @cached_property
    def start(self) -> int:
        """Where the word begins that is being typed."""
        if self.string is not None:
            return self.string.start + 1
        word = self.document.word_at(self.offset)
        is_name = word is not None and (word.text[0].isalpha() or word.text[0] == "_")
        return word.start if word is not None and is_name and word.start < self.offset else self.offset

    @property
    def prefix(self) -> str:
        """What is written of it."""
        return self.document.text[self.start : self.offset]

    @cached_property
    def segment(self) -> Words:
        """All words of the item that the cursor is in or behind; empty before the first."""
        found: Words = ()
        limit = self.string.start if self.string else self.start
        for words in split_items(self.document.words, self.document.text):
            if words[0].start < limit:
                found = words
        return found

    @cached_property
    def before(self) -> Words:
        """The words of the item before the one being typed."""
        limit = self.string.start if self.string else self.start
        return tuple(w for w in self.segment if w.end <= limit and w.start < limit)

    @cached_property
    def previous(self) -> Word | None:
        return self.before[-1] if self.before else None

    @property
    def kind(self) -> str:
        """The keyword of the item; empty before the first."""
        first = self.segment[0].text if self.segment else ""
        return first if first in ITEM_KEYWORDS else ""

    @cached_property
    def clause_start(self) -> int | None:
        """The index in `before` of the clause's keyword, or None in the head of the item."""
        return next((i for i in reversed(range(len(self.before))) if self.is_clause(i)), None)

    @property
    def clause(self) -> str:
        """The clause's keyword, or `head`."""
        return "head" if self.clause_start is None else self.before[self.clause_start].text

    @property
    def clause_words(self) -> Words:
        """The words of the clause so far, without its keyword."""
        return self.before if self.clause_start is None else self.before[self.clause_start + 1 :]

    def is_clause(self, index: int) -> bool:
        """Whether a word of the segment opens a clause, and is no name of a field or argument."""
        return opens_clause(self.segment, index, self.document.text)

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The terminals that may stand at the cursor; none where nothing is known."""
        if _fits(self.before):
            return accepted_after(self.before)
        if self.clause not in HEADS:
            return frozenset()
        words = (*tokenize(Source("", HEADS[self.clause])).words, *self.clause_words)
        return accepted_after(words) if _fits(words) else frozenset()

    @cached_property
    def opened(self) -> tuple[Opened, ...]:
        """The brackets open at the cursor, outermost first."""
        stack: list[int] = []
        words = self.clause_words
        for i, word in enumerate(words):
            if word.kind in BRACKETS:
                stack.append(i)
            elif word.kind in BRACKETS.values() and stack:
                stack.pop()
        return tuple(_opened(words, i) for i in stack)

    @property
    def innermost(self) -> Opened | None:
        return self.opened[-1] if self.opened else None


def _fits(words: Words) -> bool:
    """Whether an item can begin with these words."""
    result = attempt(words)
    return not isinstance(result, int) or result == len(words)


def opens_clause(words: Sequence[Word], index: int, text: str) -> bool:
    """Whether a word opens a clause of its item."""
    word = words[index]
    if word.text not in CLAUSES or word.kind != terminal_of(word.text) or index == 0:
        return False
    before = words[index - 1].kind
    after = words[index + 1].kind if index + 1 < len(words) else None
    if before == "DOT" and not starts_line(words, index, text):
        return False
    return not (after == "EQUAL" and before in ("LPAR", "COMMA"))


def dotted_before(words: Sequence[Word], end: int) -> tuple[int, str]:
    """The dotted name that ends before an index: where it begins, and its text; (end, "") for none."""
    start = end
    while start > 0 and _is_name(words[start - 1]):
        start -= 1
        if start > 1 and words[start - 1].kind == "DOT":
            start -= 1
        else:
            break
    return start, "".join(w.text for w in words[start:end])


def _opened(words: Sequence[Word], at: int) -> Opened:
    start, func = dotted_before(words, at) if words[at].kind != "LSQB" else (at, "")
    inside = words[at + 1 :]
    depth, cuts = 0, [0]
    for i, word in enumerate(inside):
        depth += (word.kind in BRACKETS) - (word.kind in BRACKETS.values())
        if depth == 0 and word.kind == "COMMA":
            cuts.append(i + 1)
    argument = inside[cuts[-1] :]
    keyword = argument[0].text if len(argument) > 1 and argument[1].kind == "EQUAL" else None
    first = inside[: cuts[1] - 1] if len(cuts) > 1 else ()
    name = first[0].text if len(first) == 1 and _is_name(first[0]) else None
    return Opened(words[at], func, len(cuts) - 1, keyword, words[start - 1] if start else None, name)


def _is_name(word: Word) -> bool:
    return word.text[0].isalpha() or word.text[0] == "_"


def _is_unclosed(word: Word, offset: int) -> bool:
    """Whether a string that is still being written ends at the cursor."""
    return offset == word.end and (len(word.text) == 1 or not word.text.endswith('"'))
