"""Where a blank stands between two words of one line."""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.lang.grammar import reserved_words
from qdsl.lang.tokens import Word

OPENING = frozenset("([{")
CLOSING = frozenset(")]}")
GLUED_TO_LEFT = CLOSING | {",", ".", "...", ":", "{"}
"""Signs that follow what is before them without a blank."""
GLUED_TO_RIGHT = OPENING | {".", "**"}
"""Signs that what follows them touches."""
OPERATORS = frozenset({"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="})


def depths(words: Sequence[Word]) -> list[int]:
    """How many brackets are open before each word; a closing one stands as deep as what is around its pair."""
    found, depth = [], 0
    for word in words:
        depth -= word.text in CLOSING
        found.append(depth)
        depth += word.text in OPENING
    return found


def is_keyword(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether a word is a reserved one in its own meaning, not the name of a field (`y.axis`) or argument (`as=1`)."""
    if words[i].text not in reserved_words() or (i > 0 and words[i - 1].text == "."):
        return False
    return not (depth[i] > 0 and i + 1 < len(words) and words[i + 1].text == "=")


def ends_operand(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether an expression can end with this word, so that a sign or bracket behind it belongs to it."""
    text = words[i].text
    if text in CLOSING or text == "...":
        return True
    return (text[0].isalnum() or text[0] in '_"') and not is_keyword(words, depth, i)


def is_sign(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether a minus is the sign of what follows, not a difference."""
    return words[i].text == "-" and not (i > 0 and ends_operand(words, depth, i - 1))


def is_apart(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether a blank stands before word `i`, which is not the first of its line."""
    before, text = words[i - 1].text, words[i].text
    if text in GLUED_TO_LEFT or before in GLUED_TO_RIGHT or is_sign(words, depth, i - 1):
        return False
    if "=" in (before, text) and depth[i] > 0:
        return False
    return not (text in ("(", "[") and ends_operand(words, depth, i - 1))


def may_break(words: Sequence[Word], i: int) -> bool:
    """Whether a long line may go on below from word `i` on: behind a comma, before an operator or a joining word."""
    joins = words[i].text in OPERATORS or words[i].text in ("and", "or", "for", "overrides", "as", "like")
    return (words[i - 1].text == "," or joins) and words[i - 1].text not in GLUED_TO_RIGHT
