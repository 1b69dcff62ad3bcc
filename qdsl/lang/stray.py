"""Characters that are no part of the language: what to say of each, and what its writer meant by it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.quote import quote
from qdsl.lang.source import Source, Span


@dataclass(frozen=True)
class Stray:
    """An unreadable stretch of text."""

    end: int
    """Where reading goes on."""
    kind: str | None
    """The terminal that was meant, so that the rest of the item can be read; None where nothing was."""
    blamed: int | None
    """Where the item ceases to read as it was meant: a syntax error behind is no news. None where it is mended."""
    diagnostic: Diagnostic
    spelling: str | None = None
    """How the language spells what was meant; None where the text itself will do."""


QUOTES = {
    "'": "'",
    "\u201c": '\u201d\u201c"',
    "\u201d": '\u201d"',
    "\u201e": '\u201c\u201d"',
    "\u2018": "\u2019",
    "\u2019": "\u2019",
    "\u00ab": "\u00bb",
}
"""Quotation marks that are not straight double ones, each with those that may close it."""

MEANT = {
    "&&": ("AND", "and"), "&": ("AND", "and"), "||": ("OR", "or"), "|": ("OR", "or"), "!": ("NOT", "not"),
    "\u2212": ("MINUS", "-"), "\u2013": ("MINUS", "-"), "\u2014": ("MINUS", "-"), "\u00d7": ("STAR", "*"),
    "\u00b7": ("STAR", "*"), "\u00f7": ("SLASH", "/"), "\u2264": ("COMPARE", "<="), "\u2265": ("COMPARE", ">="),
    "\u2260": ("COMPARE", "!="), "\u2026": ("SPREAD", "..."), "\u00ac": ("NOT", "not"),
}  # fmt: skip
"""Signs with a spelling of their own in the language: (terminal, spelling)."""

ADVICE = {
    ";": "remove it: items and clauses need no terminator, the next keyword ends them",
    "%": "the language has no remainder",
    "^": "powers are written power(x, 2)",
    "@": "products of matrices are written matmul(a, b)",
    "$": "names are written without a sign in front",
    "\\": "remove it: lines need no continuation sign",
    "?": "a choice between values is written where(condition, a, b)",
    "`": "names are written without quotes",
    "~": "negation is written `not`",
}

UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}
"""Unicode categories of characters that cannot be seen, or that no font has."""


def read_stray(source: Source, start: int) -> Stray:
    """What stands at `start`, where no word of the language begins."""
    rest = source.text[start : _line_end(source.text, start)]
    first = rest[0]
    if first == '"':
        return _unclosed(source, start, rest)
    if first in QUOTES:
        return _quoted(source, start, rest)
    for sign in (rest[:2], first):
        if sign in MEANT:
            kind, spelling = MEANT[sign]
            stray = _stray(source, start, len(sign), kind, _no_meaning(sign), f"write `{spelling}`")
            return replace(stray, spelling=spelling)
    letters = re.match(r"\w+", rest)
    if letters and not first.isascii():
        message = f"{quote(letters[0])} cannot stand in a name"
        help_ = "names are made of the letters a to z, digits and _"
        return _stray(source, start, letters.end(), "NAME", message, help_, blamed=start)
    if unicodedata.category(first) in UNSEEN:
        name = unicodedata.name(first, "a control character").lower()
        message = f"an invisible character, U+{ord(first):04X} ({name})"
        return _stray(source, start, 1, None, message, "delete it")
    run = len(rest) - len(rest.lstrip(first))
    return _stray(
        source, start, run, None, _no_meaning(first), ADVICE.get(first), blamed=None if first == ";" else start
    )


def _line_end(text: str, start: int) -> int:
    """The offset of the line break at or after `start`, or the end of the text; at least one character on."""
    found = re.compile(r"[\n\r]").search(text, start)
    return max(found.start() if found else len(text), start + 1)


def _unclosed(source: Source, start: int, rest: str) -> Stray:
    """An odd quotation mark: any of its line may be the one without a partner."""
    line_start = max(source.text.rfind("\n", 0, start), source.text.rfind("\r", 0, start)) + 1
    first = source.text.index('"', line_start)
    help_ = 'write the closing " on the same line; a string has one line'
    if first < start:
        help_ = 'one of the quotation marks on this line has no partner; a string has one line, and no " in it'
    return _stray(source, start, len(rest.rstrip()), "STRING", "this string is not closed", help_, blamed=first)


def _quoted(source: Source, start: int, rest: str) -> Stray:
    """A string in other quotation marks, read up to its closing one so that it is reported once."""
    ends = [i for i, character in enumerate(rest) if i and character in QUOTES[rest[0]]]
    length = ends[0] + 1 if ends else len(rest.rstrip())
    help_ = f'write "{rest[1 : length - 1]}"' if ends else 'write " at both ends; a string has one line'
    message = "strings stand in straight double quotes"
    return _stray(source, start, length, "STRING", message, help_, blamed=None if ends else start)


def _no_meaning(sign: str) -> str:
    return f"`{sign}` has no meaning in a rule file"


def _stray(
    source: Source,
    start: int,
    length: int,
    kind: str | None,
    message: str,
    help_: str | None,
    *,
    blamed: int | None = None,
) -> Stray:
    label = Label(Span(source, start, start + length), "")
    return Stray(start + length, kind, blamed, Diagnostic("Q0001", "error", message, label, help=help_))
