"""Operators, guards, builders, schemes and rules in Markdown: what hover shows, and completion beside a proposal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from qdsl.check.attributes import show
from qdsl.check.builtins import BUILDERS, GUARDS, Builtin
from qdsl.formats.format import SchemeType
from qdsl.lang import tree
from qdsl.lsp.words import FLAGS, KEYWORDS, LETTERS
from qdsl.ops import Operator, letters_of, operand_layout


def code(text: str) -> str:
    """A block of rule text."""
    return f"```qrule\n{text}\n```"


def operator(found: Operator, attrs: Mapping[str, object] | None = None) -> str:
    """Signature, meaning, operands with their axis letters, attributes with type and default."""
    return "\n\n".join(_operator(found, attrs or {}))


def _operator(found: Operator, attrs: Mapping[str, object]) -> Iterator[str]:
    results = {None: "as many results as it is asked for", 1: "one result"}.get(found.results)
    yield code(found.signature) + f"\n{results or f'{found.results} results'}"
    if found.doc:
        yield found.doc
    rows = []
    for index, operand in enumerate(found.operands):
        letters = operand_layout(found, index, attrs) or ""
        kind = f"{operand.kind}, optional" if operand.optional else operand.kind
        rows.append((f"`{operand.name}`", kind, letters, operand.doc))
    rows.append(("*result*", "tensor", operand_layout(found, "result", attrs) or "", ""))
    yield table(("operand", "kind", "axes", ""), rows)
    if found.attributes:
        listed = [
            (f"`{a.name}`", a.type, "required" if a.required else _default(a.default), a.doc) for a in found.attributes
        ]
        yield table(("attribute", "type", "default", ""), listed)


def attribute(found: Operator, name: str) -> str | None:
    """One attribute of an operator, or an operand of it that is no tensor."""
    type_ = found.fields.get(name)
    if type_ is None:
        return None
    known = found.attribute(name)
    text = f"`{name}`: {type_}, an attribute of `{found.name}`"
    if known is None:
        operand = next((o for o in found.operands if o.name == name), None)
        return f"`{name}`: {type_}, an operand of `{found.name}`" + (
            f"\n\n{operand.doc}" if operand and operand.doc else ""
        )
    text += "; required" if known.required else f"; {_default(known.default)} where it is left out"
    return f"{text}\n\n{known.doc}" if known.doc else text


def builtin(name: str) -> str:
    """A guard or a builder."""
    found: Builtin = GUARDS.get(name) or BUILDERS[name]
    kind = "a guard" if name in GUARDS else "a builder"
    return f"{code(found.signature)}\n{kind}: {found.doc}"


def scheme(item: tree.Scheme, type_: SchemeType | None) -> str:
    """A scheme as written, and what its flags mean."""
    lines = [f"- {flag}: {FLAGS[flag]}" for flag in item.flag_names if flag in FLAGS]
    if type_ is not None:
        lines.insert(0, f"- codes {type_.low} to {type_.high}")
    return "\n".join([code(" ".join(item.span.text.split())), *lines])


def rule(item: tree.Rule | tree.Fold) -> str:
    """A rule or fold: its head, its doc, what it matches and what it says of it."""
    kind = type(item).__name__.lower()
    head = f"{kind} {item.name}" + (f" {' '.join(item.each.span.text.split())}" if item.each else "")
    if isinstance(item, tree.Rule) and item.overrides:
        head += f" overrides {', '.join(t.id for t in item.overrides)}"
    parts: list[tuple[str, Iterable[tree.Node]]] = [("match", item.match), ("when", [item.when] if item.when else [])]
    if isinstance(item, tree.Rule):
        parts += [("annotate", item.annotate), ("realize", item.realize or ())]
    else:
        parts.append(("rewrite", item.rewrite))
    lines = [f"    {_clause(word, nodes)}" for word, nodes in parts if nodes]
    return "\n\n".join([*([item.doc] if item.doc else []), code("\n".join([head, *lines]))])


def _clause(word: str, nodes: Iterable[tree.Node]) -> str:
    return f"{word:<10}" + ("\n" + " " * 14).join(" ".join(n.span.text.split()) for n in nodes)


def letter(name: str, layouts: Iterable[str]) -> str:
    """An axis letter, and the layouts that it is an axis of."""
    found = [layout for layout in dict.fromkeys(layouts) if name in letters_of(layout)]
    text = f"axis {name}" + (f": {LETTERS[name]}" if name in LETTERS else "")
    return text + (f"\n\nlayouts: {', '.join(found)}" if found else "")


def keyword(word: str) -> str:
    """A word of the language."""
    return f"**{word}**: {KEYWORDS[word]}"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table without the columns that are empty."""
    listed = list(rows)
    kept = [i for i in range(len(head)) if any(row[i] for row in listed)]
    lines = [[head[i] for i in kept], ["---"] * len(kept), *([_cell(row[i]) for i in kept] for row in listed)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _default(value: object) -> str:
    return "none" if value is None else show(value)
