"""Mistakes with single words and signs: each function knows one, and answers None to all others."""

from __future__ import annotations

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.failure import BRACKETS, Failure
from qdsl.lang.grammar import reserved_words, soft_terminals, spellings
from qdsl.lang.quote import quote
from qdsl.lang.segments import starts_line
from qdsl.lang.source import Span

NUMBERS = ("INT", "DECIMAL")

FOLLOW_A_NAME = {
    "EQUAL", "COMMA", "RPAR", "RSQB", "RBRACE", "DOT", "SPREAD", "PLUS", "STAR", "SLASH", "COMPARE", "AS", "LIKE",
    "COLON",
}  # fmt: skip
"""Terminals that stand behind the name of a value and never behind a keyword that is meant as one."""


def number_malformed(failure: Failure) -> Diagnostic | None:
    """.5, 5., 1e, 0x10, 1_000"""
    word, before, second, after = failure.word, failure.at(-1), failure.at(-2), failure.at(1)
    if word and word.kind == "DOT" and after and after.kind in NUMBERS and after.start == word.end:
        return _at(failure, f"a number begins with a digit: write 0.{after.text}", word.start, after.end)
    if before and before.kind == "DOT" and second and second.kind in NUMBERS and second.end == before.start:
        return _at(failure, f"a number ends with a digit: write {second.text}.0", second.start, before.end)
    joined = before and before.kind in NUMBERS and word and word.start == before.end
    if before and word and joined and (word.text[0].isalnum() or word.text[0] == "_"):
        text = before.text + word.text
        help_ = "numbers are written 12, 0.5, 1e-6"
        return _at(failure, f"{quote(text)} is not a number", before.start, word.end, help_)
    return None


def fractional_dimension(failure: Failure) -> Diagnostic | None:
    """float32[1, 2.5]"""
    word = failure.word
    if word and word.kind in ("DECIMAL", "MINUS", "NAME") and failure.accepted in ({"INT"}, {"INT", "RSQB"}):
        return _error("a dimension is a whole number", failure.span)
    return None


def underscore_as_value(failure: Failure) -> Diagnostic | None:
    """relu(_)"""
    if failure.word and failure.word.kind == "IGNORED" and "NAME" in failure.accepted:
        help_ = "give it a name"
        return _error("`_` stands for a result that nobody reads, and cannot stand for a value", failure.span, help_)
    return None


def keyword_as_name(failure: Failure) -> Diagnostic | None:
    """match match = conv(x, w)"""
    word, before, after, text = failure.word, failure.at(-1), failure.at(1), failure.source.text
    if word is None:
        return None
    if before and before.text in reserved_words() and word.kind in FOLLOW_A_NAME:
        # An item whose name is missing, or a value that was read as the name of an argument: relu(use).
        if failure.index == 1 or failure.accepted == {"EQUAL"}:
            return _keyword(before.text, failure.span_of(before))
        return None
    if word.kind == "NAME" or not word.text.isidentifier() or "NAME" not in failure.accepted:
        return None
    if word.kind == "DTYPE":
        return _error(f"`{word.text}` is a dtype and cannot be a name here", failure.span, "choose another name")
    named = after is not None and (after.kind in FOLLOW_A_NAME or after.text in reserved_words())
    # After a keyword on its own line comes its clause; on the line of the word before, a name was due.
    named = named or (
        failure.accepted <= soft_terminals() | {"NAME"} and not starts_line(failure.words, failure.index, text)
    )
    if word.text in reserved_words() and not named:
        return None
    return _keyword(word.text, failure.span)


def dangling_dot(failure: Failure) -> Diagnostic | None:
    """A dot with nothing behind it, so that the keyword of the next line was taken for a field."""
    for index in (failure.index, failure.index - 1):
        if index < 2 or index >= len(failure.words) or failure.words[index - 1].kind != "DOT":
            continue
        if failure.words[index].text in reserved_words() and starts_line(failure.words, index, failure.source.text):
            return _error("a name is missing behind the `.`", failure.span_of(failure.words[index - 1]))
    return None


def scheme_order(failure: Failure) -> Diagnostic | None:
    """scheme act = asymmetric uint8"""
    word = failure.word
    if word is None or word.kind != "DTYPE" or failure.words[0].kind != "SCHEME" or failure.index < 4:
        return None
    flags = " ".join(w.text for w in failure.words[3 : failure.index])
    help_ = f"write scheme {failure.words[1].text} = {word.text} {flags}"
    return _error("the dtype of a scheme comes before its flags", failure.span, help_)


def chained_comparison(failure: Failure) -> Diagnostic | None:
    """0 < c < 1"""
    if failure.word and failure.word.kind == "COMPARE" and "AND" in failure.accepted:
        help_ = "compare twice and join with `and`: 0 < c and c < 1"
        return _error("comparisons do not chain", failure.span, help_)
    return None


def compare_or_bind(failure: Failure) -> Diagnostic | None:
    """when y.axis = 1, match y == conv(x, w)"""
    word = failure.word
    if word and word.kind == "EQUAL" and "AS" in failure.accepted:
        return _error("a mark has no `=` before its format", failure.span, "write as instead of =: x as act")
    if word and word.kind == "EQUAL" and "COMPARE" in failure.accepted:
        return _error("a value is compared with `==`", failure.span, "write == instead of =")
    if word and word.text == "==" and "EQUAL" in failure.accepted:
        return _error("a name is bound with `=`", failure.span, "write = instead of ==")
    return None


def wrong_bracket(failure: Failure) -> Diagnostic | None:
    """conv(x, w]"""
    word, bracket = failure.word, failure.open_bracket
    if word is None or word.kind not in BRACKETS.values() or failure.wants_expression:
        return None
    if bracket is None:
        return _error(f"`{word.text}` closes nothing", failure.span, "remove it, or write its opening bracket")
    closing = BRACKETS[bracket.kind]
    if closing not in failure.accepted or word.kind == closing:
        return None
    opened = (Label(failure.span_of(bracket), f"closed by `{spellings()[closing]}`"),)
    return _error(f"`{word.text}` does not close `{bracket.text}`", failure.span, None, opened)


SIGNS = {
    "LBRACE": "keywords begin items and clauses, no braces; op{a, b} is an operator with its operands in either order",
    "COLON": "keywords need no colon; only the inputs of a test are written name: dtype[...]",
    "SPREAD": "name... stands for several operands or results: in a list, an argument or a target",
    "POWER": "powers are written power(x, 2); **c stands among arguments, for the attributes of c",
}


def sign_out_of_place(failure: Failure) -> Diagnostic | None:
    """rule x { ..."""
    if failure.word is None or failure.word.kind not in SIGNS:
        return None
    return _error(f"`{failure.word.text}` has no meaning here", failure.span, SIGNS[failure.word.kind])


def _keyword(text: str, span: Span) -> Diagnostic:
    return _error(f"`{text}` is a keyword and cannot be a name here", span, "choose another name")


def _at(failure: Failure, message: str, start: int, end: int, help_: str | None = None) -> Diagnostic:
    return _error(message, Span(failure.source, start, end), help_)


def _error(message: str, span: Span, help_: str | None = None, secondary: tuple[Label, ...] = ()) -> Diagnostic:
    return Diagnostic("Q0001", "error", message, Label(span, ""), secondary, help_)
