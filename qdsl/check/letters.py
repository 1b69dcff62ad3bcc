"""Axis letters in guards (Q0303): `size(w, I)`, `axis(c, C)` and `spans(b, C)` against the layouts of the match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdsl.check.finding import error, listed
from qdsl.check.matched import Matched, Patterned
from qdsl.check.references import AXIS_LETTER
from qdsl.check.types.axes import CHANNELS
from qdsl.check.types.boundary import Boundary, boundary_of
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.ops import letters_of, lookup, operand_layout


def check_letters(matched: Matched) -> Iterator[Diagnostic]:
    """Every letter that a guard speaks of, where the operators of the match are known."""
    when = matched.item.when
    if when is None or not all(matched.is_known(c.func) for c in matched.calls()):
        return
    boundaries = [boundary_of(_as_fold(matched.item, matched.bindings), op) for op in _choices(matched)]
    for node in tree.walk(when):
        if not isinstance(node, tree.Call) or len(node.positional) != 2:
            continue
        value, letter = node.positional
        if not isinstance(value, tree.Name) or not isinstance(letter, tree.Name) or value.id not in matched.captures:
            continue
        if letter.id in matched.captures or not AXIS_LETTER.fullmatch(letter.id):
            continue
        if node.func in ("size", "axis"):
            yield from _of_value(value, letter, boundaries, matched)
        elif node.func == "spans":
            yield from _of_match(letter, boundaries)


def _as_fold(item: Patterned, bindings: tuple[tree.Binding, ...]) -> tree.Rule | tree.Fold:
    """A skip's pattern in the form that boundaries are read from."""
    if not isinstance(item, tree.Skip):
        return item
    return tree.Fold(item.span, "skip", item.span, None, None, bindings, item.when, ())


def _choices(matched: Matched) -> Sequence[str | None]:
    every = [name for names in matched.each.values() for name in names if lookup(name) is not None]
    return every or [None]


def letters(boundaries: Sequence[Boundary], name: str | None) -> tuple[str, ...]:
    """The letters of a name at all its places; of None, those of all results of the match."""
    found: dict[str, None] = {}
    for boundary in boundaries:
        for known, places in boundary.places.items():
            for place in places:
                if known == name or (name is None and place.position == "result"):
                    layout = operand_layout(place.operator, place.position, CHANNELS | dict(place.attrs))
                    found.update(dict.fromkeys(letters_of(layout)))
    return tuple(found)


def _of_value(
    value: tree.Name, letter: tree.Name, boundaries: Sequence[Boundary], matched: Matched
) -> Iterator[Diagnostic]:
    known = letters(boundaries, value.id)
    if letter.id in known:
        return
    others = [(matched.captures[value.id].span, f"its axes are {listed(known)}" if known else "it has no axis letters")]
    help = f"write one of {listed(known)}" if known else f"compare shape({value.id}) or rank({value.id}) instead"
    yield error("Q0303", f"{value.id} has no axis {letter.id}", letter.span, others=others, help=help)


def _of_match(letter: tree.Name, boundaries: Sequence[Boundary]) -> Iterator[Diagnostic]:
    known = letters(boundaries, None)
    if letter.id in known:
        return
    text = f"no result of the match has an axis {letter.id}"
    help = f"their axes are {listed(known)}" if known else "name the value that it spans: spans(b, x)"
    yield error("Q0303", text, letter.span, help=help)
