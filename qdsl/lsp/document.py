"""One rule file as the server knows it: its words, its tree, the rule set it is checked in, and what was found."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.parse import Parsed
from qdsl.lang.program import Program
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import Word, tokenize
from qdsl.lsp.texts import Texts, parse_once
from qdsl.ruleset import RuleSet, with_stock


@dataclass(frozen=True, eq=False)
class Document:
    """Everything is computed when it is first asked for, and once."""

    path: str
    """The real path; for a text that is in no file, its name."""
    texts: Texts

    @cached_property
    def source(self) -> Source:
        found = self.texts.source(self.path) or Source(self.path, "")
        return Source(self.path, found.text.removeprefix("\ufeff"))

    @property
    def text(self) -> str:
        return self.source.text

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tokenize(self.source).words

    @cached_property
    def parsed(self) -> Parsed:
        return parse_once(self.source)

    @property
    def items(self) -> tuple[tree.Item, ...]:
        """The items without syntax errors."""
        return self.parsed.file.items if self.parsed.file else ()

    @cached_property
    def rules(self) -> RuleSet:
        """The document, what it uses, and the stock rules behind them."""
        return with_stock(self.texts.program(self.path), self.texts.reader)

    @property
    def program(self) -> Program:
        return self.rules.program

    @cached_property
    def every_finding(self) -> Sequence[Diagnostic]:
        """What `qdsl check` says of the document and of the files that it uses."""
        return self.rules.check()

    @cached_property
    def findings(self) -> Sequence[Diagnostic]:
        """What is found in the document itself."""
        return [d for d in self.every_finding if d.primary.span.path == self.path]

    def item_at(self, offset: int) -> tree.Item | None:
        """The item around a character; the end of an item still belongs to it."""
        return next((i for i in self.items if i.span.start <= offset <= i.span.end), None)

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    # ---- words

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]

    def words_in(self, span: Span) -> Sequence[Word]:
        """The words that lie inside a span."""
        return self.words[bisect_left(self._starts, span.start) : bisect_left(self._starts, span.end)]

    def word_at(self, offset: int) -> Word | None:
        """The word that a character belongs to; between two that touch, the one that is a name or else the later."""
        index = bisect_right(self._starts, offset) - 1
        near = [w for w in self.words[max(0, index - 1) : index + 1] if w.start <= offset <= w.end]
        return max(near, key=lambda w: (w.text[0].isalnum() or w.text[0] == "_", w.start), default=None)

    def word_span(self, word: Word) -> Span:
        return self.span(word.start, word.end)
