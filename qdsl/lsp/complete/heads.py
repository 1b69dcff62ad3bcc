"""The heads of items: names of rules, operators behind `for`, dtypes and flags of schemes."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lang.flags import DTYPES, FLAGS, OPPOSITES
from qdsl.lsp.complete.callables import operators
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site
from qdsl.lsp.words import FLAGS as MEANINGS


def head(site: Site) -> Iterator[Proposal]:
    """What may be written before the first clause."""
    cursor = site.cursor
    previous = cursor.previous.kind if cursor.previous else ""
    if previous == "TEST":
        yield from rules(site, folds=True)
    elif cursor.clause == "overrides" and previous in ("OVERRIDES", "COMMA"):
        own = cursor.segment[1].text
        yield from (p for p in rules(site, folds=False) if p.label != own)
    elif cursor.clause == "for" and previous in ("IN", "COMMA"):
        yield from operators(site, call=False)
    elif cursor.kind == "scheme" and len(cursor.before) > 2:
        yield from _scheme(site, previous)


def rules(site: Site, folds: bool) -> Iterator[Proposal]:
    """The rules of all files, and the folds."""
    kinds = (tree.Rule, tree.Fold) if folds else (tree.Rule,)
    for item in site.program.items:
        if isinstance(item, kinds):
            yield Proposal(item.name, "rule", item.doc or type(item).__name__.lower())


def _scheme(site: Site, previous: str) -> Iterator[Proposal]:
    if previous == "EQUAL":
        yield from (Proposal(name, "dtype", "a dtype that numbers can be quantized to") for name in DTYPES)
        return
    written = {word.text for word in site.cursor.segment}
    for flag in FLAGS:
        if flag not in written and OPPOSITES.get(flag) not in written and "NAME" in site.cursor.accepted:
            yield Proposal(flag, "flag", MEANINGS.get(flag, ""), rank=3)
