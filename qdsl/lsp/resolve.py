"""From a name to where it is defined, and to all places that speak of the same thing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.lang.source import Source, Span
from qdsl.lsp.document import Document
from qdsl.lsp.occurrences import Occurrence, occurrences
from qdsl.lsp.texts import real

LOCAL = ("value", "each", "parameter")
"""Names that an item has for itself."""
GLOBAL = ("scheme", "def", "rule")
"""Names that all files share."""


def definition(found: Occurrence, document: Document) -> Span | None:
    """Where a name is defined; None for words of the language and for what nobody defines."""
    if found.kind in LOCAL:
        home = _home(found, document)
        return None if home is None else _local_definition(found, *home)
    if found.kind == "file":
        path = os.path.normpath(os.path.join(os.path.dirname(document.path), found.name))
        source = document.texts.source(path)
        return None if source is None else Span(Source(real(path), source.text), 0, 0)
    if found.defines:
        return found.span
    item = global_item(found.kind, found.name, document.program)
    return None if item is None else item.name_span


def global_item(kind: str, name: str, program: Program) -> tree.Scheme | tree.Def | tree.Rule | tree.Fold | None:
    """The item that a name which all files share stands for."""
    if kind == "scheme":
        return program.schemes.get(name)
    if kind == "def":
        return program.defs.get(name)
    if kind != "rule":
        return None
    return next((i for i in program.items if isinstance(i, tree.Rule | tree.Fold) and i.name == name), None)


def home_document(item: tree.Item, document: Document) -> Document:
    """The document that an item stands in."""
    path = real(item.span.path)
    return document if path == document.path else Document(path, document.texts)


def _home(found: Occurrence, document: Document) -> tuple[tree.Item, Document] | None:
    """The item that a local name belongs to: of a mark that a test expects, the rule."""
    if not found.owner:
        return found.item, document
    item = global_item("rule", found.owner, document.program)
    return None if item is None else (item, home_document(item, document))


def _local_definition(found: Occurrence, item: tree.Item, document: Document) -> Span | None:
    names = occurrences(item, document)
    return next((o.span for o in names if o.kind in LOCAL and o.name == found.name and o.defines), None)


def same(found: Occurrence, document: Document) -> Iterator[Span]:
    """All places that speak of the same thing, the definition among them, in this and in other files."""
    if found.kind == "file":
        return
    if found.kind in LOCAL:
        home = _home(found, document)
        if home is not None:
            yield from _same_local(found.name, *home)
        return
    target = _place(definition(found, document)) if found.kind in GLOBAL else None
    if found.kind in GLOBAL and target is None:
        return
    for other in _files_with(found.name, document):
        for item in other.items:
            for candidate in occurrences(item, other):
                if (candidate.kind, candidate.name) != (found.kind, found.name):
                    continue
                if target is None or _place(definition(candidate, other)) == target:
                    yield candidate.span


def same_here(found: Occurrence, document: Document) -> Iterator[Occurrence]:
    """The places in the document itself, without a look at others: for highlighting."""
    local = found.kind in LOCAL
    for item in [found.item] if local and not found.owner else document.items:
        for other in occurrences(item, document):
            kinds = (other.kind in LOCAL) if local else other.kind == found.kind
            if kinds and other.name == found.name and other.owner == found.owner and other.of == found.of:
                yield other


def _same_local(name: str, item: tree.Item, home: Document) -> Iterator[Span]:
    yield from (o.span for o in occurrences(item, home) if o.kind in LOCAL and o.name == name and not o.owner)
    if not isinstance(item, tree.Rule | tree.Fold):
        return
    for other in _files_with(item.name, home):
        for test in other.items:
            if not isinstance(test, tree.Test) or test.rule != item.name:
                continue
            if _place(_name_span(global_item("rule", item.name, other.program))) == _place(item.name_span):
                names = occurrences(test, other)
                yield from (o.span for o in names if o.kind == "value" and o.name == name and o.owner == item.name)


def _files_with(name: str, document: Document) -> Iterator[Document]:
    """The document, then every other file of the workspace and of its rule set in which the word occurs."""
    yield document
    paths = dict.fromkeys((*document.texts.paths, *(real(p) for p in document.program.sources)))
    for path in paths:
        if path == document.path or not (path in document.texts.open or Path(path).is_file()):
            continue
        other = Document(path, document.texts)
        if name in other.text:
            yield other


def _name_span(item: tree.Scheme | tree.Def | tree.Rule | tree.Fold | None) -> Span | None:
    return None if item is None else item.name_span


def _place(span: Span | None) -> tuple[str, int] | None:
    return None if span is None else (real(span.path), span.start)
