"""The words of a file cut into items, each to be parsed by itself: where one has an error, the next begins afresh."""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.lang.expected import ITEM_KEYWORDS, terminal_of
from qdsl.lang.grammar import soft_terminals
from qdsl.lang.tokens import Word

Words = tuple[Word, ...]


def split_items(words: Sequence[Word], text: str) -> list[Words]:
    """The items' words, in order; what stands before the first item keyword is a segment of its own."""
    starts = [i for i in range(len(words)) if i == 0 or _begins_item(words, i, text)]
    return [tuple(words[a:b]) for a, b in zip(starts, [*starts[1:], len(words)], strict=False)]


def dangling_item(words: Words, index: int, text: str) -> int | None:
    """Where a second item begins whose keyword was taken for a field, because a dot ends the line before it."""
    for i in range(min(index, len(words) - 1), 1, -1):
        if words[i].text in ITEM_KEYWORDS and words[i - 1].kind == "DOT" and starts_line(words, i, text):
            return i
    return None


def declared_name(words: Sequence[Word]) -> str | None:
    """The name that an item would have declared, read or not: `convolution` of `rule convolution ...`."""
    if len(words) < 2 or words[0].text not in ITEM_KEYWORDS or words[0].text in ("use", "skip", "test"):
        return None
    return words[1].text if words[1].text.isidentifier() else None


def starts_line(words: Sequence[Word], i: int, text: str) -> bool:
    """Whether a word is the first of its line. Used to guess what was meant, never to read what is right."""
    return i == 0 or "\n" in text[words[i - 1].end : words[i].start]


def _begins_item(words: Sequence[Word], i: int, text: str) -> bool:
    """Whether an item begins here: at an item keyword that is not the name of a field or argument."""
    if words[i].text not in ITEM_KEYWORDS or words[i].kind != terminal_of(words[i].text):
        return False
    before = words[i - 1].kind
    after = words[i + 1].kind if i + 1 < len(words) else None
    if before == "DOT" or (after == "EQUAL" and before in ("LPAR", "COMMA")):
        return False
    return after in ("NAME", "STRING") or after in soft_terminals() or starts_line(words, i, text)
