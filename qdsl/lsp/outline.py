"""The items of a document as a tree: for outlines, breadcrumbs and folding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qdsl.check.matched import read_match
from qdsl.lang import tree
from qdsl.lang.segments import split_items
from qdsl.lang.source import Span
from qdsl.lang.tokens import comments
from qdsl.lang.unparse import unparse
from qdsl.lsp.document import Document
from qdsl.lsp.occurrences import occurrences


@dataclass(frozen=True)
class Symbol:
    """An item, or a name in one."""

    name: str
    kind: str
    """use scheme def fold rule skip test operand result inner input"""
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def outline(document: Document) -> list[Symbol]:
    """The items that could be read, in order."""
    return [_symbol(item, document) for item in document.items]


def _symbol(item: tree.Item, document: Document) -> Symbol:
    kind = type(item).__name__.lower()
    if isinstance(item, tree.Use):
        return Symbol(item.path, kind, "", item.span, item.span)
    if isinstance(item, tree.Scheme):
        detail = " ".join(item.span.text.partition("=")[2].split())
        return Symbol(item.name, kind, detail, item.span, item.name_span)
    if isinstance(item, tree.Def):
        return Symbol(item.name, kind, unparse(item.body), item.span, item.name_span)
    if isinstance(item, tree.Skip):
        name = f"at {item.at}" if item.pattern is None else unparse(item.pattern)
        return Symbol(f"skip {name}", kind, item.because, item.span, item.span)
    if isinstance(item, tree.Test):
        children = tuple(_names(item, document, dict.fromkeys(_given(item), "input")))
        return Symbol(f"{item.rule}: {item.title}", kind, "", item.span, item.rule_span, children)
    matched = read_match(item)
    parts = {n: "operand" for n in matched.operands} | {n: "inner" for n in matched.interior}
    children = tuple(_names(item, document, parts | {n: "result" for n in matched.results}))
    return Symbol(item.name, kind, item.doc or "", item.span, item.name_span, children)


def _given(item: tree.Test) -> Iterator[str]:
    for given in item.given:
        if isinstance(given, tree.Input):
            yield given.name
        else:
            yield from (t.id for t in given.targets if not isinstance(t, tree.IgnoredTarget))


def _names(item: tree.Item, document: Document, parts: dict[str, str]) -> Iterator[Symbol]:
    for name in occurrences(item, document):
        if name.kind == "value" and name.defines and name.name in parts:
            yield Symbol(name.name, parts[name.name], "", name.span, name.span)


def foldings(document: Document) -> Iterator[tuple[Span, str]]:
    """Stretches of several lines that can be folded: items, read or not, and blocks of comments."""
    for words in split_items(document.words, document.text):
        yield document.span(words[0].start, words[-1].end), "region"
    yield from ((span, "comment") for span in _blocks(comments(document.source, document.words)))


def _blocks(found: Sequence[Span]) -> Iterator[Span]:
    """Comments on lines that follow each other, as one."""
    block: Span | None = None
    for span in found:
        if block is not None and block.source.text[block.end : span.start].strip(" \t\r") == "\n":
            block = block.to(span)
            continue
        if block is not None:
            yield block
        block = span
    if block is not None:
        yield block
