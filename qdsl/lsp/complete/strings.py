"""Inside a string: rule files after `use`, terms of the guard after `skips`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site
from qdsl.lsp.texts import real


def strings(site: Site) -> Iterator[Proposal]:
    """What the string at the cursor may say; nothing where it is free text."""
    previous = site.cursor.previous.kind if site.cursor.previous else ""
    string = site.cursor.string
    if string is None:
        return
    start = string.start + 1
    if previous == "USE":
        yield from (Proposal(path, "file", "rule file", start=start) for path in _files(site))
    elif previous == "SKIPS":
        item = site.rule_under_test
        terms = tree.conjuncts(item.when) if item is not None else ()
        yield from (Proposal(unparse(term), "text", "a term of the guard", start=start) for term in terms)


def _files(site: Site) -> list[str]:
    """Rule files of the workspace and of the document's folder, as a `use` would name them."""
    document = site.cursor.document
    folder = os.path.dirname(document.path)
    beside = [real(str(p)) for p in Path(folder).glob("*.qrule")] if os.path.isdir(folder) else []
    paths = dict.fromkeys([*sorted(beside), *document.texts.paths])
    return [os.path.relpath(p, folder).replace(os.sep, "/") for p in paths if p != document.path]
