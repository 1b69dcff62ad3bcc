"""Expressions: what can be called, names in sight, and inside brackets what that operator, guard or builder takes."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.attributes import show
from qdsl.check.builtins import BUILDERS, FORMAT_FIELDS, GUARDS, SHAPE_FIELDS
from qdsl.check.guards import first_impure
from qdsl.lsp.complete.callables import builtin, dtypes, each, follows_bracket, function, letter, operators
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.complete.site import Site
from qdsl.lsp.cursor import Opened
from qdsl.lsp.pattern import locals_of
from qdsl.ops import Operator, lookup

TARGET_AFTER = frozenset({"MATCH", "REALIZE", "REWRITE", "GIVEN"})


def expression(site: Site) -> Iterator[Proposal]:
    """What may be written in a clause of bindings, a guard, the body of a def or the pattern of a skip."""
    cursor = site.cursor
    previous = cursor.previous.kind if cursor.previous else ""
    inner = cursor.innermost
    if previous == "COLON":
        yield from dtypes()
    elif previous in TARGET_AFTER or (not cursor.opened and ("PLUS" in cursor.accepted or previous == "COMMA")):
        yield from _targets(site)
    elif inner is not None and inner.bracket.kind == "LSQB" and inner.before is not None and _is_value(inner):
        if inner.before.kind != "DTYPE":
            yield from (letter(one, "axis letter") for one in site.pattern.letters())
    elif inner is not None and inner.func:
        yield from _argument(site, inner)
    elif not cursor.accepted or cursor.accepted & {"NAME", "LPAR"}:
        yield from _values(site)
        yield from _callables(site)


def fields(site: Site) -> Iterator[Proposal]:
    """What stands behind a dot: parts of a value's format, attributes of its call, the rest of an operator's name."""
    cursor = site.cursor
    base = cursor.before[-2].text if len(cursor.before) > 1 else ""
    if base in site.pattern.matched.captures and cursor.clause in ("when", "annotate", "realize", "rewrite"):
        if cursor.clause in ("annotate", "realize", "rewrite"):
            yield from (Proposal(n, "field", d, rank=1) for n, d in FORMAT_FIELDS.items())
        elif cursor.clause == "when":
            yield from (Proposal(n, "field", d, rank=3) for n, d in SHAPE_FIELDS.items())
        for operator in site.pattern.makers(base)[:1]:
            yield from (Proposal(n, "attribute", f"{t} of {operator.name}", rank=2) for n, t in _fields(operator))
    elif cursor.clause != "when":
        yield from operators(site)


def _is_value(inner: Opened) -> bool:
    """Whether a square bracket stands behind a value: an axis, not a list."""
    return inner.before is not None and (
        inner.before.kind in ("RPAR", "RSQB", "DTYPE") or inner.before.text.isidentifier()
    )


def _targets(site: Site) -> Iterator[Proposal]:
    """Results that the clause has yet to define."""
    if site.cursor.clause in ("realize", "rewrite"):
        bound = locals_of(site.cursor.before, site.cursor.document.text, site.cursor.clause)
        left = [r for r in site.pattern.matched.results if r not in bound]
        yield from (Proposal(name, "value", "a result of the match", f"{name} = ", rank=1) for name in left)


def _values(site: Site) -> Iterator[Proposal]:
    yield from (Proposal(n, "value", d, rank=1) for n, d in site.values.items())


def _callables(site: Site) -> Iterator[Proposal]:
    clause = site.cursor.kind if site.cursor.clause == "head" else site.cursor.clause
    bare = follows_bracket(site)
    guards = GUARDS if clause in ("when", "def") else {}
    builders = BUILDERS if clause in ("realize", "def") else {}
    for found, kind in ((guards, "guard"), (builders, "builder")):
        for one in found.values():
            proposal = builtin(one, kind)
            yield Proposal(proposal.label, kind, proposal.detail, rank=2) if bare else proposal
    if clause != "when":
        yield from each(site)
        yield from operators(site)
    if clause not in ("match", "skip"):
        defs = site.program.defs
        yield from (function(d) for d in defs.values() if clause != "when" or first_impure(d, defs, ()) is None)


def _argument(site: Site, inner: Opened) -> Iterator[Proposal]:
    """One argument of a call."""
    known = (GUARDS if site.cursor.clause == "when" else BUILDERS).get(inner.func)
    if known is not None:
        yield from _of_builtin(site, inner, known.kind_of(inner.index) if known.parameters else "expr")
        return
    found = site.pattern.operators(inner.func)
    operator = found[0] if found else lookup(inner.func)
    if operator is not None and inner.keyword is not None:
        yield from _of_attribute(site, operator, inner.keyword)
        return
    yield from _values(site)
    if operator is not None:
        written = {w.text for w in site.cursor.before if w.start > inner.bracket.start}
        for name, type_ in _fields(operator):
            if name not in written:
                yield Proposal(f"{name}=", "attribute", f"{type_} of {operator.name}", rank=2)
        if operator.name == "astype":
            yield from dtypes()
        for result in site.pattern.matched.results if site.cursor.clause in ("realize", "rewrite") else ():
            yield Proposal(f"**{result}", "attribute", f"all attributes of the call that made {result}", rank=2)
    if inner.bracket.kind == "LPAR" or site.cursor.clause == "match":
        yield from _callables(site)


def _of_builtin(site: Site, inner: Opened, kind: str) -> Iterator[Proposal]:
    if kind in ("axis", "along"):
        name = inner.first if kind == "axis" else None
        yield from (letter(one, f"axis of {name}" if name else "axis letter") for one in site.pattern.letters(name))
    if kind == "function":
        defs = [d for d in site.program.defs.values() if len(d.parameters) == 1]
        yield from (Proposal(d.name, "def", " ".join(d.span.text.split()), rank=1) for d in defs)
        yield from each(site)
        yield from (p for p in operators(site, call=False) if _is_unary(p.label))
    elif kind == "dtype":
        yield from dtypes()
    elif kind == "result":
        yield from (Proposal(n, "value", "a result of the match", rank=1) for n in site.pattern.matched.results)
    elif kind != "axis":
        yield from _values(site)
        if kind in ("expr", "number"):
            yield from _callables(site)


def _is_unary(name: str) -> bool:
    operator = lookup(name)
    return operator is not None and [o.kind for o in operator.operands] == ["tensor"]


def _of_attribute(site: Site, operator: Operator, name: str) -> Iterator[Proposal]:
    """The value of an attribute: its default, what its type allows, the same attribute of the matched call."""
    type_ = operator.fields.get(name)
    attribute = operator.attribute(name)
    if attribute is not None and attribute.default is not None:
        yield Proposal(show(attribute.default), "text", "the default", rank=1)
    if type_ == "bool":
        yield from (Proposal(word, "keyword", "bool", rank=2) for word in ("true", "false"))
    elif type_ == "dtype":
        yield from dtypes()
    if site.cursor.clause in ("realize", "rewrite"):
        for result in site.pattern.matched.results:
            if any(name in o.fields for o in site.pattern.makers(result)):
                yield Proposal(f"{result}.{name}", "field", f"as the call that made {result} has it", rank=1)


def _fields(operator: Operator) -> Iterator[tuple[str, str]]:
    yield from operator.fields.items()
