"""What can be called: operators, guards, builders and defs, and the letters and dtypes that they are given."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.builtins import Builtin
from qdsl.lang import tree
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site
from qdsl.lsp.cursor import dotted_before
from qdsl.lsp.words import LETTERS
from qdsl.ops import Operator, lookup, names

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "bool")


def operators(site: Site, call: bool = True) -> Iterator[Proposal]:
    """All operators that begin as what is written does; their names have dots, so that they may begin before it."""
    cursor = site.cursor
    start, before = cursor.start, ""
    if cursor.previous is not None and cursor.previous.kind == "DOT":
        at, text = dotted_before(cursor.before, len(cursor.before) - 1)
        start, before = cursor.before[at].start if text else cursor.start, f"{text}."
    with_arguments = call and not follows_bracket(site)
    for name in names():
        operator = lookup(name)
        if name.startswith(before) and operator is not None:
            snippet = _with_places(operator) if with_arguments else None
            yield Proposal(name, "operator", operator.signature, None, snippet, start)


def follows_bracket(site: Site) -> bool:
    """Whether the arguments are there already."""
    return site.cursor.document.text[site.cursor.offset :].lstrip(" ")[:1] in ("(", "{")


def _with_places(operator: Operator) -> str:
    shown = [f"${{{i}:{_place(o.name, o.kind)}}}" for i, o in enumerate(operator.tensor_operands, 1)]
    return f"{operator.name}({', '.join(shown)})"


def _place(name: str, kind: str) -> str:
    return f"[{name}...]" if kind == "tensors" else name


def builtin(found: Builtin, kind: str) -> Proposal:
    """A guard or a builder."""
    places = [p.name for p in found.parameters if not p.optional]
    shown = ", ".join(f"${{{i}:{name}}}" for i, name in enumerate(places, 1))
    return Proposal(found.name, kind, f"{found.signature}: {found.doc}", None, f"{found.name}({shown})", rank=2)


def function(definition: tree.Def) -> Proposal:
    """A def."""
    names_ = ", ".join(p.id for p in definition.parameters)
    places = ", ".join(f"${{{i}:{p.id}}}" for i, p in enumerate(definition.parameters, 1))
    detail = " ".join(definition.span.text.split())
    return Proposal(definition.name, "def", detail, None, f"{definition.name}({places})" if names_ else None, rank=3)


def each(site: Site) -> Iterator[Proposal]:
    """The name after `for`."""
    if site.each is not None:
        listed = ", ".join(site.pattern.matched.each[site.each])
        yield Proposal(site.each, "operator", f"one of {listed}", rank=1)


def letter(name: str, detail: str) -> Proposal:
    """An axis letter."""
    meaning = LETTERS.get(name)
    return Proposal(name, "letter", f"{detail}: {meaning}" if meaning else detail, rank=0)


def dtypes() -> Iterator[Proposal]:
    yield from (Proposal(name, "dtype", "dtype", rank=2) for name in DTYPES)
