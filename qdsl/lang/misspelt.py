"""Keywords with a slip of the pen: named, and read as what was meant so that the rest of the item is checked too."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.expected import ITEM_KEYWORDS, terminal_of
from qdsl.lang.failure import Failure, accepted_after, attempt
from qdsl.lang.grammar import soft_terminals, spellings
from qdsl.lang.nearest import nearest
from qdsl.lang.quote import quote
from qdsl.lang.tokens import Word


@dataclass(frozen=True)
class Mended:
    words: tuple[Word, ...]
    """The item with the keyword that was meant."""
    diagnostic: Diagnostic


def mend_keyword(failure: Failure) -> Mended | None:
    """The keyword that was meant at the failing word or shortly before it: `anotate x` reads as a name until `x`."""
    for back in range(3):
        mended = _mend_at(failure, failure.index - back)
        if mended is not None:
            return mended
    return None


def _mend_at(failure: Failure, index: int, again: bool = True) -> Mended | None:
    """The item with the word at `index` mended, if it then reads on; `again`: the next word may be misspelt too."""
    if not 0 <= index < len(failure.words) or failure.words[index].kind != "NAME":
        return None
    word = failure.words[index]
    accepted = accepted_after(failure.words[:index])
    # Where any name fits, only a reserved word can have been meant; two words back, only one that begins an item.
    terminals = accepted - soft_terminals() if "NAME" in accepted else accepted
    if index < failure.index - 1:
        terminals &= {terminal_of(keyword) for keyword in ITEM_KEYWORDS}
    keywords = {spellings()[t]: t for t in terminals if spellings().get(t, "").isidentifier()}
    meant = nearest(word.text, keywords)
    if meant is None:
        return None
    words = (*failure.words[:index], Word(keywords[meant], meant, word.start, word.end), *failure.words[index + 1 :])
    reached = attempt(words)
    if reached == len(words) == index + 1:
        return None  # the text breaks off here, perhaps within the word
    if isinstance(reached, int) and reached <= failure.index:
        rest = Failure(failure.source, words, reached, failure.follower)
        if index >= reached or not again or _mend_at(rest, reached, again=False) is None:
            return None
    message = f"{quote(word.text)}: did you mean `{meant}`?"
    return Mended(words, Diagnostic("Q0001", "error", message, Label(failure.span_of(word), "not a keyword")))
