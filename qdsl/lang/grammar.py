"""The grammar file and the Lark object built from it, once per process and not before the first parse."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark, Token

GRAMMAR_FILE = "qrule.lark"

OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    # Tokens do not depend on the parser's state: a word means the same to the lexer wherever it stands, so a file with
    # a syntax error still has a sound list of tokens to go on from.
    "lexer": "basic",
    # Every token stays in the tree, because spans are made from the first and last token of a node.
    "keep_all_tokens": True,
    "maybe_placeholders": False,
}


def grammar_text() -> str:
    """The text of qrule.lark: package data of `qdsl.grammar`, or the checkout's grammar/ beside the package."""
    try:
        return resources.files("qdsl.grammar").joinpath(GRAMMAR_FILE).read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        checkout = Path(__file__).resolve().parents[2] / "grammar" / GRAMMAR_FILE
        return checkout.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def grammar() -> Lark:
    """The parser of whole files (`start`), shared by all parses: Lark keeps no state between them.

    Building it takes a quarter of a second. Lark's own cache would save most of that, but is a pickle in the temporary
    folder, which is to trust whoever can write there.
    """
    from lark import Lark

    return Lark(grammar_text(), **OPTIONS)


def words_of(text: str) -> Iterator[Token]:
    """The tokens of a text, unparsed. Raises lark's UnexpectedCharacters where it reaches something that is none."""
    # Lark.lex would build the lexer anew on every call.
    interactive = grammar().parse_interactive(text)
    return interactive.lexer_thread.lex(interactive.parser_state)


@lru_cache(maxsize=1)
def reserved_words() -> frozenset[str]:
    """The words that can never name a value: those the grammar allows as a `label` but not as a `name`."""
    return _alternatives("label") - _alternatives("name")


@lru_cache(maxsize=1)
def soft_terminals() -> frozenset[str]:
    """The terminals of words that mean something in one place and are names elsewhere (`step`, `any`)."""
    return frozenset(_terminals("name")) - {"NAME"}


@lru_cache(maxsize=1)
def spellings() -> dict[str, str]:
    """What each terminal that is one fixed text looks like: {"MATCH": "match", "LPAR": "("}."""
    return {t.name: t.pattern.value for t in grammar().terminals if t.pattern.type == "str"}


def _terminals(rule: str) -> set[str]:
    """The terminals that are by themselves an alternative of a rule."""
    return {r.expansion[0].name for r in grammar().rules if r.origin.name == rule and r.expansion[0].is_term}


def _alternatives(rule: str) -> frozenset[str]:
    return frozenset(spellings()[t] for t in _terminals(rule) if t in spellings())
