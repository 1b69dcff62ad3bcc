"""Rule text to syntax tree, with every syntax error of the file found in one run."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lang.advice import explain
from qdsl.lang.build import build
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.failure import Failure, attempt
from qdsl.lang.misspelt import mend_keyword
from qdsl.lang.pieces import Refusal
from qdsl.lang.segments import Words, dangling_item, declared_name, split_items
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import tokenize

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes of text that are read as rules; the stock rules have some ten thousand."""

MOST_ERRORS = 50
"""Errors after which the rest of a file is not looked at."""


@dataclass(frozen=True)
class Parsed:
    """What could be read of one file."""

    file: tree.File | None
    """The items without a syntax error, in order; None for a text over the size limit."""
    diagnostics: tuple[Diagnostic, ...]
    """In the order of their places; all are errors."""
    unread: frozenset[str] = frozenset()
    """Names that items with syntax errors would have declared, so that nobody calls them unknown."""


def parse_text(text: str, path: str) -> tuple[tree.File | None, list[Diagnostic]]:
    """The tree of a rule text and its Q0001 and Q0002 findings; `path` is what messages show.

    Items with a syntax error are left out of the tree, whose other items are whole. Never raises, whatever the text.
    """
    parsed = parse(Source(path, text))
    return parsed.file, list(parsed.diagnostics)


def parse(source: Source) -> Parsed:
    """As parse_text, of a source; also tells the names of the items it could not read."""
    if source.text.startswith("\ufeff"):
        source = Source(source.path, source.text[1:])
    if len(source.text) > LARGEST_FILE:
        message = f"the file has {len(source.text)} characters, and at most {LARGEST_FILE} are read as rules"
        nowhere = Span(Source(source.path, ""), 0, 0)
        return Parsed(None, (Diagnostic("Q0002", "error", message, Label(nowhere, "")),))
    return _Parser(source).run()


class _Parser:
    """One run over one file: takes items from a queue; a mended item goes back to its front."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.items: list[tree.Item] = []
        self.diagnostics = list(self.tokens.diagnostics)
        self.unread: set[str] = set()
        self.pending = deque(split_items(self.tokens.words, source.text))

    def run(self) -> Parsed:
        while self.pending and len(self.diagnostics) < MOST_ERRORS:
            self._take(self.pending.popleft())
        if self.pending:
            self._stop(self.pending[0])
        self.diagnostics.sort(key=lambda d: (d.primary.span.start, d.primary.span.end))
        whole = Span(self.source, 0, len(self.source.text))
        return Parsed(tree.File(whole, tuple(self.items)), tuple(self.diagnostics), frozenset(self.unread))

    def _take(self, words: Words) -> None:
        """Read one item, or say why not."""
        result = attempt(words)
        if isinstance(result, int):
            self._fail(words, result)
            return
        try:
            item = build(result, self.source)
        except Refusal as refusal:
            label = Label(refusal.span, refusal.label)
            self.diagnostics.append(Diagnostic("Q0001", "error", refusal.message, label, help=refusal.help))
            self._forget(words)
            return
        if item is not None:
            self.items.append(item)

    def _fail(self, words: Words, index: int) -> None:
        cut = dangling_item(words, index, self.source.text)
        if cut is not None:
            self.pending.extendleft((words[cut:], words[:cut]))
            return
        follower = self.pending[0][0] if self.pending else None
        failure = Failure(self.source, words, index, follower)
        mended = mend_keyword(failure)
        if mended is not None:
            self.diagnostics.append(mended.diagnostic)
            self.pending.extendleft(reversed(split_items(mended.words, self.source.text)))
            return
        if not any(words[0].start <= place <= failure.reach for place in self.tokens.blamed):
            self.diagnostics.append(explain(failure))
        self._forget(words)

    def _forget(self, words: Words) -> None:
        name = declared_name(words)
        if name is not None:
            self.unread.add(name)

    def _stop(self, words: Words) -> None:
        place = Span(self.source, words[0].start, words[0].end)
        message = f"more than {MOST_ERRORS} syntax errors: from here on the file was not read"
        self.diagnostics.append(Diagnostic("Q0001", "error", message, Label(place, "")))
        for rest in self.pending:
            self._forget(rest)
