"""What to say of a syntax error: the mistake itself where it is a known one, else what was expected."""

from __future__ import annotations

from collections.abc import Callable

from qdsl.lang.advice_clauses import clause_missing, clause_out_of_place
from qdsl.lang.advice_words import (
    chained_comparison,
    compare_or_bind,
    dangling_dot,
    fractional_dimension,
    keyword_as_name,
    number_malformed,
    scheme_order,
    sign_out_of_place,
    underscore_as_value,
    wrong_bracket,
)
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.expected import in_words, joined
from qdsl.lang.failure import BRACKETS, Failure
from qdsl.lang.grammar import spellings
from qdsl.lang.quote import quote

KNOWN: tuple[Callable[[Failure], Diagnostic | None], ...] = (
    number_malformed,
    fractional_dimension,
    underscore_as_value,
    dangling_dot,
    scheme_order,
    keyword_as_name,
    chained_comparison,
    compare_or_bind,
    wrong_bracket,
    clause_out_of_place,
    clause_missing,
    sign_out_of_place,
)
"""Mistakes with a message of their own, the most certain first."""


def explain(failure: Failure) -> Diagnostic:
    """The Q0001 of a failure."""
    for mistake in KNOWN:
        found = mistake(failure)
        if found is not None:
            return found
    previous = failure.at(-1)
    expected = joined(in_words(failure.accepted, previous.kind if previous else None))
    message = f"expected {expected}, found {_found(failure)}"
    bracket = failure.open_bracket
    secondary: tuple[Label, ...] = ()
    if bracket is not None and BRACKETS[bracket.kind] in failure.accepted and _left_behind(failure):
        secondary = (Label(failure.span_of(bracket), f"this `{bracket.text}` is not closed"),)
        message = f"expected `{spellings()[BRACKETS[bracket.kind]]}`, found {_found(failure)}"
    return Diagnostic("Q0001", "error", message, Label(failure.span, ""), secondary)


def _left_behind(failure: Failure) -> bool:
    """Whether the text has gone on to something else: an open bracket is then the mistake."""
    word = failure.word
    return word is None or word.text in ("=", "as", "like") or (word.kind != "NAME" and word.text.isidentifier())


def _found(failure: Failure) -> str:
    if failure.word is not None:
        return quote(failure.word.text)
    if failure.follower is not None:
        return f"the next item (`{failure.follower.text}`)"
    return "the end of the file"
