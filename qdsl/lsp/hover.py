"""Hover: what is to be known of the name or word under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.check.builtins import FORMAT_FIELDS, SHAPE_FIELDS
from qdsl.check.matched import read_match
from qdsl.check.types.boundary import literal_attributes
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse
from qdsl.lsp import describe
from qdsl.lsp.document import Document
from qdsl.lsp.occurrences import Occurrence, occurrence_at
from qdsl.lsp.outline import outline
from qdsl.lsp.pattern import Pattern
from qdsl.lsp.resolve import definition, global_item, home_document
from qdsl.lsp.types import typed
from qdsl.lsp.words import FLAGS, KEYWORDS
from qdsl.ops import Operator, lookup, operand_layout

MOST_NAMES = 12
"""Names of one kind that are listed of a file."""


@dataclass(frozen=True)
class Hover:
    """Markdown about a stretch of text."""

    text: str
    span: Span


def hover(document: Document, offset: int) -> Hover | None:
    """What is shown at a character; None where nothing is to be said."""
    found = occurrence_at(document, offset)
    if found is not None:
        text = "\n\n".join(_about(found, document))
        if text:
            return Hover(text, found.span)
    word = document.word_at(offset)
    if word is None:
        return None
    if word.kind != "NAME" and word.text in KEYWORDS:
        return Hover(describe.keyword(word.text), document.word_span(word))
    if word.text in FLAGS and isinstance(document.item_at(offset), tree.Scheme):
        return Hover(f"**{word.text}**: {FLAGS[word.text]}", document.word_span(word))
    return None


def _about(found: Occurrence, document: Document) -> Iterator[str]:
    if found.kind == "value":
        yield from _value(found, document)
    elif found.kind == "operator":
        operator = lookup(found.name)
        if operator is not None:
            yield describe.operator(operator, _attributes_at(found))
            yield from _type_of_call(found, document)
    elif found.kind == "each":
        yield from _each(found, document)
    elif found.kind in ("guard", "builder"):
        yield describe.builtin(found.name)
        yield from _type_of_call(found, document)
    elif found.kind == "letter":
        yield describe.letter(found.name, _layouts(found, document))
    elif found.kind in ("attribute", "field"):
        yield from _attribute(found, document)
    elif found.kind in ("scheme", "def", "rule"):
        yield from _item(found, document)
    elif found.kind == "file":
        yield from _file(found, document)


def _item(found: Occurrence, document: Document) -> Iterator[str]:
    item = global_item(found.kind, found.name, document.program)
    if isinstance(item, tree.Scheme):
        yield describe.scheme(item, document.program.scheme_types.get(item.name))
    elif isinstance(item, tree.Def):
        yield describe.code(" ".join(item.span.text.split()))
    elif item is not None:
        yield describe.rule(item)
    if item is not None and item.span.path != document.path:
        yield f"in `{item.span.path}`"


def _file(found: Occurrence, document: Document) -> Iterator[str]:
    """What a used file declares."""
    place = definition(found, document)
    if place is not None:
        names = [symbol for symbol in outline(Document(place.path, document.texts)) if symbol.kind != "use"]
        yield f"`{place.path}`"
        for kind in dict.fromkeys(symbol.kind for symbol in names):
            listed = [symbol.name for symbol in names if symbol.kind == kind]
            more = ", ..." if len(listed) > MOST_NAMES else ""
            yield f"{kind}: {', '.join(listed[:MOST_NAMES])}{more}"


def _value(found: Occurrence, document: Document) -> Iterator[str]:
    item, home = found.item, document
    if found.owner:
        owner = global_item("rule", found.owner, document.program)
        if owner is None:
            return
        item, home = owner, home_document(owner, document)
    if isinstance(item, tree.Rule):
        types = typed(item, home.program)
        text = types.of_name(found.name) if types else None
        if text is not None and types is not None:
            yield describe.code(f"{found.name}: {text}") + _under(types.operator)
    if isinstance(item, tree.Rule | tree.Fold):
        yield from _place_of(found.name, Pattern(item))
    elif isinstance(item, tree.Test):
        given = next((g for g in item.given if _gives(g, found.name)), None)
        if given is not None:
            yield describe.code(" ".join(given.span.text.split()))


def _gives(given: tree.Input | tree.Binding, name: str) -> bool:
    if isinstance(given, tree.Input):
        return given.name == name
    return any(not isinstance(t, tree.IgnoredTarget) and t.id == name for t in given.targets)


def _place_of(name: str, pattern: Pattern) -> Iterator[str]:
    """Where in the match a name stands."""
    capture = pattern.matched.captures.get(name)
    if capture is not None and capture.call is not None:
        yield f"result of `{unparse(capture.call)}`"
    places = [p for b in pattern.boundaries[:1] for p in b.places.get(name, ())]
    for place in places:
        if isinstance(place.position, int):
            layout = operand_layout(place.operator, place.position, place.attrs)
            axes = f", axes {layout}" if layout else ""
            yield f"`{place.operator.operands[place.position].name}` of `{unparse(place.call)}`{axes}"


def _under(operator: str | None) -> str:
    return f"\nwhere the operator is `{operator}`" if operator else ""


def _each(found: Occurrence, document: Document) -> Iterator[str]:
    each = getattr(found.item, "each", None)
    if each is not None:
        known = [o for o in map(lookup, each.operator_names) if o is not None]
        yield f"`{found.name}` stands for " + ", ".join(f"`{name}`" for name in each.operator_names)
        yield from (describe.operator(o) for o in known[:1])
        yield from _type_of_call(found, document)


def _type_of_call(found: Occurrence, document: Document) -> Iterator[str]:
    """In a realize clause, the type of what is called here."""
    if not isinstance(found.item, tree.Rule):
        return
    call = next((n for n in tree.walk(found.item) if isinstance(n, tree.Call) and n.func_span == found.span), None)
    types = typed(found.item, document.program)
    if call is not None and types is not None and call.span in types.expressions:
        yield f"here: `{types.expressions[call.span]}`"


def _attributes_at(found: Occurrence) -> dict[str, object]:
    calls = (n for n in tree.walk(found.item) if isinstance(n, tree.Call) and n.func_span == found.span)
    return next((literal_attributes(c) for c in calls), {})


def _attribute(found: Occurrence, document: Document) -> Iterator[str]:
    """A keyword of a call, or a field of a value."""
    if found.kind == "field" and found.name in FORMAT_FIELDS:
        types = typed(found.item, document.program) if isinstance(found.item, tree.Rule) else None
        text = types.of_name(found.of) if types else None
        yield f"`{found.of}.{found.name}`: {FORMAT_FIELDS[found.name]}" + (f", of `{text}`" if text else "")
        return
    for operator in _operators(found):
        text = describe.attribute(operator, found.name)
        if text is not None:
            yield text
            return
    if found.name in SHAPE_FIELDS:
        yield f"`{found.of}.{found.name}`: {SHAPE_FIELDS[found.name]}"


def _operators(found: Occurrence) -> tuple[Operator, ...]:
    item = found.item
    pattern = Pattern(item) if isinstance(item, tree.Rule | tree.Fold | tree.Skip) else None
    if found.kind == "field":
        return pattern.makers(found.of) if pattern else ()
    known = lookup(found.of)
    return pattern.operators(found.of) if pattern else ((known,) if known else ())


def _layouts(found: Occurrence, document: Document) -> Iterator[str]:
    item: tree.Item | None = found.item
    if isinstance(item, tree.Test):
        item = global_item("rule", item.rule, document.program)
    if isinstance(item, tree.Rule | tree.Fold):
        names = read_match(item).captures
        for boundary in Pattern(item).boundaries:
            for place in (p for name in names for p in boundary.places.get(name, ())):
                layout = operand_layout(place.operator, place.position, place.attrs)
                if layout is not None:
                    yield layout
