"""What each word of a rule text is, as the grammar itself has it: what colouring is held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Tree

from qdsl.lang.failure import attempt
from qdsl.lang.segments import split_items
from qdsl.lang.source import Source
from qdsl.lang.tokens import comments, tokenize

SOFT = {
    ("any_spec", "ANY"), ("float_spec", "FLOAT"), ("fixed_spec", "FIXED"), ("fires", "FIRES"), ("skips", "SKIPS"),
    ("error_bound", "ERROR"), ("error_bound", "STEP"), ("error_bound", "STEPS"), ("flag", "BITS"), ("skip_at", "AT"),
    ("expect_mark", "MARK"), ("input", "CONST"),
}  # fmt: skip
"""Where words that are names elsewhere are keywords: the rule they stand in, and the terminal."""

KINDS = {
    "STRING": "string",
    "INT": "number",
    "DECIMAL": "number",
    "DTYPE": "dtype",
    "BOOLEAN": "boolean",
    "NAME": "name",
}


@dataclass(frozen=True)
class Expected:
    """A word of a text."""

    start: int
    end: int
    kind: str
    """keyword name flag string number dtype boolean sign dot comment"""
    terminal: str


@lru_cache(maxsize=64)
def expected(text: str) -> list[Expected]:
    """The words and comments of a text without syntax errors, in order."""
    source = Source("text", text)
    words = tokenize(source).words
    found = [e for item in split_items(words, text) for e in _in_tree(attempt(item))]
    found += [Expected(span.start, span.end, "comment", "COMMENT") for span in comments(source, words)]
    return sorted(found, key=lambda e: e.start)


def _in_tree(tree: Tree) -> Iterator[Expected]:
    assert isinstance(tree, Tree), "the text has a syntax error"
    names = 0
    for index, child in enumerate(tree.children):
        if isinstance(child, Tree):
            yield from _in_tree(child)
            continue
        kind = _kind(tree, child, index, names)
        names += kind == "name"
        yield Expected(child.start_pos, child.end_pos, kind, child.type)


def _kind(tree: Tree, token: Token, index: int, names: int) -> str:
    rule = str(tree.data)
    is_word = token[0].isalpha() or token[0] == "_"
    is_label = (rule in ("field", "operator") and index > 0) or (rule == "keyword" and index == 0)
    if is_word and (is_label or rule == "operator"):
        return "name"
    if rule == "flag" and token.type == "NAME":
        return "flag"
    if token.type in KINDS:
        return KINDS[token.type]
    if not is_word or token.type == "IGNORED":
        return "dot" if token.type == "DOT" else "sign"
    if token.lower() in (
        "any",
        "at",
        "bits",
        "const",
        "error",
        "fires",
        "fixed",
        "float",
        "mark",
        "skips",
        "step",
        "steps",
    ):
        first = token.type not in ("MARK", "CONST") or (names == 0) == (token.type == "MARK")
        return "keyword" if (rule, token.type) in SOFT and first else "name"
    return "keyword"
