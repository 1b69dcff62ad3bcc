"""Marks: what to mark, schemes, the axis letters of what is marked, and derived scales; also as a test expects them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdsl.check.builtins import BUILDERS
from qdsl.lang.tokens import Word
from qdsl.lsp.complete.callables import builtin, letter
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site


def marks(site: Site) -> Iterator[Proposal]:
    """What may be written in `annotate`, and in a `mark` of `expect`."""
    cursor = site.cursor
    previous = cursor.previous.kind if cursor.previous else ""
    inner = cursor.innermost
    if inner is not None and inner.bracket.kind == "LSQB":
        yield from _letters(site)
    elif inner is not None:
        yield from _inside(site)
    elif previous == "AS":
        for scheme in site.program.schemes.values():
            detail = " ".join(scheme.span.text.split("=", 1)[-1].split())
            yield Proposal(scheme.name, "scheme", detail, rank=1)
    elif previous in ("EQUAL", "STAR", "SLASH", "MINUS", "PLUS"):
        yield from _scales(site)
    elif previous == "LIKE":
        yield from _values(site, set())
    elif previous in ("MARK", "SHARE", "COMMA") or (cursor.clause == "annotate" and "SHARE" in cursor.accepted):
        yield from _values(site, _marked(site.cursor.clause_words))


def _values(site: Site, without: set[str]) -> Iterator[Proposal]:
    yield from (Proposal(n, "value", d, rank=1) for n, d in site.values.items() if n not in without)


def _marked(words: Sequence[Word]) -> set[str]:
    """Names that have a mark: all before an `as` or a `like`."""
    found: set[str] = set()
    for end in (i for i, word in enumerate(words) if word.kind in ("AS", "LIKE")):
        at = end - 1
        while at >= 0:
            at -= words[at].kind == "SPREAD"
            found.add(words[at].text)
            if at < 2 or words[at - 1].kind != "COMMA":
                break
            at -= 2
    return found


def _letters(site: Site) -> Iterator[Proposal]:
    """The axis letters of what is marked."""
    words = site.cursor.clause_words
    names = [words[i - 1].text for i, word in enumerate(words) if word.kind == "AS" and i]
    name = names[-1] if names else None
    yield from (letter(one, f"axis of {name}") for one in site.pattern.letters(name))


def _inside(site: Site) -> Iterator[Proposal]:
    inner = site.cursor.innermost
    if inner is not None and inner.func == "fixed" and inner.keyword is None:
        for name, detail in (("scale", "a number"), ("zero", "a code"), ("dtype", "uint8 if left out")):
            yield Proposal(f"{name}=", "attribute", detail, rank=1)
    elif inner is not None and inner.func == "count":
        yield from _values(site, set())
    else:
        yield from _scales(site)


def _scales(site: Site) -> Iterator[Proposal]:
    for name in site.pattern.matched.captures:
        yield Proposal(f"{name}.scale", "field", f"the scale of {name}", rank=1)
    yield from _values(site, set())
    yield builtin(BUILDERS["count"], "builder")
