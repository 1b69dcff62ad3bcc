"""Semantic tokens: every word with what it is, for editors that colour by meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.lang.tokens import comments
from qdsl.lsp.document import Document
from qdsl.lsp.occurrences import occurrences
from qdsl.lsp.words import FLAGS, KEYWORDS

TYPES = (
    "keyword", "comment", "string", "number", "operator", "type", "class", "function", "method", "variable",
    "parameter", "property", "enumMember", "macro",
)  # fmt: skip
"""Names of the protocol; a token's type is its place here."""

OF_KIND = {
    "value": "variable",
    "each": "parameter",
    "parameter": "parameter",
    "scheme": "type",
    "def": "function",
    "rule": "class",
    "operator": "function",
    "guard": "method",
    "builder": "macro",
    "letter": "enumMember",
    "attribute": "property",
    "field": "property",
}
OF_TERMINAL = {
    "STRING": "string", "INT": "number", "DECIMAL": "number", "DTYPE": "type", "BOOLEAN": "number", "PLUS": "operator",
    "MINUS": "operator", "STAR": "operator", "SLASH": "operator", "COMPARE": "operator", "EQUAL": "operator",
    "POWER": "operator", "SPREAD": "operator",
}  # fmt: skip


@dataclass(frozen=True)
class Coloured:
    """Characters [start, end) of one line."""

    start: int
    end: int
    type: str
    defines: bool = False


def coloured(document: Document) -> Iterator[Coloured]:
    """The words and comments of a document in order; names in items with syntax errors are left out."""
    found = [*_names(document)]
    taken = {c.start for c in found}
    for word in document.words:
        if word.start in taken:
            continue
        is_keyword = word.text in KEYWORDS and word.kind != "NAME"
        type_ = "keyword" if is_keyword else OF_TERMINAL.get(word.kind)
        if word.kind == "NAME" and word.text in FLAGS:
            type_ = "enumMember"
        if type_ is not None:
            found.append(Coloured(word.start, word.end, type_))
    found += (Coloured(span.start, span.end, "comment") for span in comments(document.source, document.words))
    yield from sorted(found, key=lambda c: c.start)


def _names(document: Document) -> Iterator[Coloured]:
    """What the tree says of names; a dotted name word by word, since it may be written on several lines."""
    seen: set[int] = set()
    for item in document.items:
        for name in occurrences(item, document):
            for word in document.words_in(name.span) if name.kind in OF_KIND else ():
                if word.kind not in ("DOT", "STRING") and word.start not in seen:
                    seen.add(word.start)
                    yield Coloured(word.start, word.end, OF_KIND[name.kind], name.defines)
