"""What the parser would have accepted, in words: sets of terminals collapsed to what people call them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from qdsl.lang.grammar import soft_terminals, spellings

MOST = 10
"""Alternatives named in one message."""

ITEM_KEYWORDS = ("use", "scheme", "def", "fold", "rule", "skip", "test")
CLAUSE_KEYWORDS = (
    "for", "overrides", "match", "when", "annotate", "realize", "rewrite", "because", "given", "expect",
    "as", "share", "like",
)  # fmt: skip

EXPRESSION = {"NAME", "INT", "DECIMAL", "STRING", "DTYPE", "LPAR", "LSQB", "MINUS", "BOOLEAN"}
AFTER_EXPRESSION = {
    "PLUS", "MINUS", "STAR", "SLASH", "COMPARE", "AND", "OR", "DOT", "LSQB", "LPAR", "LBRACE",
}  # fmt: skip
SPEC = {"NAME", "FLOAT", "ANY", "FIXED"}

WORDS = {
    "NAME": "a name",
    "INT": "a whole number",
    "DECIMAL": "a number",
    "STRING": "a string",
    "BOOLEAN": "`true` or `false`",
    "DTYPE": "a dtype such as int8",
    "COMPARE": "a comparison such as <=",
    "$END": "the end of the file",
}


def terminal_of(word: str) -> str:
    """The terminal of a reserved or soft word: match -> MATCH."""
    return _terminals()[word]


@lru_cache(maxsize=1)
def _terminals() -> dict[str, str]:
    return {text: name for name, text in spellings().items()}


def in_words(accepted: Iterable[str], previous: str | None) -> list[str]:
    """At most ten phrases for a set of terminals; `previous` is the terminal before the place."""
    left = set(accepted)
    phrases: list[str] = []

    def collapse(group: set[str], phrase: str) -> None:
        nonlocal left
        if group:
            left -= group
            phrases.append(phrase)

    items = {terminal_of(k) for k in ITEM_KEYWORDS}
    if left >= {"IN", "OR", "BECAUSE"}:
        # No other place has room for all three: any word is a name here, after a dot or before the = of an argument.
        left -= {t for t, text in spellings().items() if text.isidentifier()} | {"BOOLEAN"}
    elif items <= left:
        collapse(items | {"$END"}, "the next item" if previous else f"an item ({', '.join(ITEM_KEYWORDS)})")
    if left >= {"LPAR", "INT", "STRING", "NAME"}:
        collapse(EXPRESSION | {"NOT", "POWER", "SPREAD"}, "an argument" if "POWER" in left else "an expression")
        left -= soft_terminals()
    elif left == SPEC:
        collapse(SPEC, "a scheme, `float`, `any` or `fixed`")
    elif "PLUS" in left or "STAR" in left:
        collapse(AFTER_EXPRESSION, "an operator")
    if "NAME" in left:
        left -= soft_terminals()
        if previous == "LSQB":
            collapse({"NAME"}, "a layout letter")
    elif left >= {"INT", "DECIMAL"}:
        collapse({"INT", "DECIMAL"}, "a number")
    phrases.extend(_word(t) for t in sorted(left, key=_order))
    return phrases[:MOST]


def joined(phrases: list[str]) -> str:
    """a, b or c"""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _word(terminal: str) -> str:
    if terminal in WORDS:
        return WORDS[terminal]
    return f"`{spellings().get(terminal, terminal.lower())}`"


def _order(terminal: str) -> tuple[int, int, str]:
    """What is said in words first, then keywords as they follow each other in a file, then signs."""
    text = spellings().get(terminal, "")
    if terminal in WORDS:
        return 0, list(WORDS).index(terminal), terminal
    if text in CLAUSE_KEYWORDS:
        return 1, CLAUSE_KEYWORDS.index(text), terminal
    return (2 if text.isidentifier() else 3), 0, terminal
