"""Keywords: those that the grammar allows at the cursor, and no others."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.lang.expected import ITEM_KEYWORDS
from qdsl.lang.grammar import soft_terminals, spellings
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.cursor import Cursor
from qdsl.lsp.words import KEYWORDS, SNIPPETS

SOFT_AFTER = {"AS": {"ANY", "FLOAT", "FIXED"}, "SKIP": {"AT"}}
"""Words that are names elsewhere, where they compete with a name."""


def keywords(cursor: Cursor) -> Iterator[Proposal]:
    """The words that may follow; items also as snippets."""
    accepted, previous = cursor.accepted, cursor.previous.kind if cursor.previous else ""
    if previous == "DOT":
        return
    if accepted >= {"IN", "OR", "BECAUSE"}:
        accepted = frozenset()  # the place of an argument, where any word could be the name before an `=`
    if cursor.clause != "when":
        accepted -= {"NOT"}
    if "NAME" in accepted:
        accepted -= soft_terminals() - SOFT_AFTER.get(previous, set())
    words = {text: t for t, text in spellings().items() if t in accepted and text in KEYWORDS}
    for word in words:
        is_item = word in ITEM_KEYWORDS
        if is_item:
            yield Proposal(word, "snippet", "with places to fill in", snippet=SNIPPETS[word], rank=8)
        yield Proposal(word, "keyword", KEYWORDS[word], rank=7 if is_item else 4)
