"""Mutants: a rule with one change in it, which its tests should notice.

drop TERM                  a guard term, or one side of an `or`, left out
negate TERM                a guard term turned round
AXIS -> AXIS               another letter of the same layout
drop `like`                a mark that copies a format left out, or its change of scale
SCHEME -> SCHEME           another scheme, `any` or `float` in a mark
drop centered              the zero point left in
+ -> -, - -> +             the other sum
{a, b} -> (a, b)           one order of operands only
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse

Mutable = tree.Rule | tree.Fold | tree.Def
N = TypeVar("N", bound=tree.Node)

LETTERS: Mapping[str, str] = {
    "O": "I", "I": "O", "C": "N", "N": "C", "H": "W", "W": "H", "D": "H", "M": "N", "K": "N",
}  # fmt: skip
"""A letter that the same layout has too, or a neighbouring one; a matmul's N becomes M or K where C is none of its."""
MATMUL_LETTERS: Mapping[str, str] = {"M": "N", "N": "K", "K": "N"}
GUARD_LETTERS = ("axis", "size", "spans")
"""Guards whose second argument may be a letter."""


@dataclass(frozen=True)
class Mutant:
    """One changed item."""

    item: Mutable
    """The item with the change in it."""
    original: Mutable
    span: Span
    """Where the change is."""
    change: str
    """What was changed, in words."""


def mutants_of(item: Mutable, schemes: Mapping[str, tree.Scheme]) -> Iterator[Mutant]:
    """Every mutant of an item, in the order of the file."""
    found: list[Mutant] = []
    if not isinstance(item, tree.Def):
        found += _guard_mutants(item)
    if isinstance(item, tree.Rule):
        found += _mark_mutants(item, schemes)
    found += _node_mutants(item)
    yield from sorted(found, key=lambda m: (m.span.start, m.span.end))


# ---- guards


def _guard_mutants(item: tree.Rule | tree.Fold) -> Iterator[Mutant]:
    terms = tree.conjuncts(item.when)
    for number, term in enumerate(terms):
        rest = [*terms[:number], *terms[number + 1 :]]
        yield Mutant(replace(item, when=_all_of(item.when, rest)), item, term.span, f"drop `{unparse(term)}`")
        turned = [*terms[:number], negated(term), *terms[number + 1 :]]
        yield Mutant(replace(item, when=_all_of(item.when, turned)), item, term.span, f"negate `{unparse(term)}`")
        for side, kept in _without_sides(term):
            changed = [*terms[:number], kept, *terms[number + 1 :]]
            yield Mutant(replace(item, when=_all_of(item.when, changed)), item, side.span, f"drop `{unparse(side)}`")


def _without_sides(term: tree.Expr) -> Iterator[tuple[tree.Expr, tree.Expr]]:
    """Each side of an `or`, with what is left without it."""
    if not isinstance(term, tree.Logic) or term.op != "or":
        return
    for side in term.operands:
        others = tuple(o for o in term.operands if o is not side)
        yield side, others[0] if len(others) == 1 else replace(term, operands=others)


def _all_of(when: tree.Expr | None, terms: list[tree.Expr]) -> tree.Expr | None:
    if not terms or when is None:
        return None
    return terms[0] if len(terms) == 1 else tree.Logic(when.span, "and", tuple(terms))


def negated(term: tree.Expr) -> tree.Expr:
    """The opposite of a guard term."""
    if isinstance(term, tree.Unary) and term.op == "not":
        return term.operand
    return tree.Unary(term.span, "not", term)


# ---- marks


def _mark_mutants(rule: tree.Rule, schemes: Mapping[str, tree.Scheme]) -> Iterator[Mutant]:
    for number, mark in enumerate(rule.annotate):
        for changed, change in _changed_marks(mark, rule, schemes):
            marks = (*rule.annotate[:number], *([changed] if changed else []), *rule.annotate[number + 1 :])
            yield Mutant(replace(rule, annotate=marks), rule, mark.span, change)


def _changed_marks(
    mark: tree.Mark, rule: tree.Rule, schemes: Mapping[str, tree.Scheme]
) -> Iterator[tuple[tree.Mark | None, str]]:
    if isinstance(mark, tree.Like):
        yield None, f"drop `{unparse(mark)}`"
        if mark.scale is not None:
            yield replace(mark, scale=None), f"drop `= {unparse(mark.scale)}`"
        return
    made = {t.id for b in rule.match for t in b.targets if not isinstance(t, tree.IgnoredTarget)}
    is_result = any(t.id in made for t in mark.targets)
    for spec in _other_specs(mark.spec, is_result, schemes):
        yield replace(mark, spec=spec), f"`{unparse(mark.spec)}` -> `{unparse(spec)}`"


def _other_specs(spec: tree.Spec, is_result: bool, schemes: Mapping[str, tree.Scheme]) -> Iterator[tree.Spec]:
    """What else could stand in a mark: the nearest format that means something else."""
    narrow = next((s.name for s in schemes.values() if s.dtype != "int32" and "per_channel" not in s.flag_names), None)
    wide = next((s.name for s in schemes.values() if s.dtype == "int32" and "per_channel" not in s.flag_names), None)
    if isinstance(spec, tree.AnySpec):
        if narrow is not None:
            yield tree.SchemeSpec(spec.span, narrow, spec.span)
    elif isinstance(spec, tree.SchemeSpec):
        is_int32 = spec.scheme in schemes and schemes[spec.scheme].dtype == "int32"
        if not is_result:
            yield tree.AnySpec(spec.span)
        elif is_int32 and narrow is not None:
            yield replace(spec, scheme=narrow, axis=None)
        elif not is_int32 and wide is not None:
            yield replace(spec, scheme=wide, axis=None)
        if spec.scale is not None:
            yield replace(spec, scale=None)
    elif isinstance(spec, tree.FloatSpec) and not is_result and narrow is not None:
        yield tree.SchemeSpec(spec.span, narrow, spec.span)


# ---- expressions


def _node_mutants(item: Mutable) -> Iterator[Mutant]:
    letters = MATMUL_LETTERS if _speaks_of(item, "matmul") else LETTERS
    for node in tree.walk(item):
        for changed, change in _changed_nodes(node, letters):
            yield Mutant(substituted(item, node, changed), item, node.span, change)


def _changed_nodes(node: tree.Node, letters: Mapping[str, str]) -> Iterator[tuple[tree.Node, str]]:
    if isinstance(node, tree.Binary) and node.op in "+-":
        other = "-" if node.op == "+" else "+"
        yield replace(node, op=other), f"{node.op} -> {other} in `{unparse(node)}`"
    elif isinstance(node, tree.Along | tree.SchemeSpec) and node.axis is not None and node.axis in letters:
        yield replace(node, axis=letters[node.axis]), f"`{unparse(node)}`: {node.axis} -> {letters[node.axis]}"
    elif isinstance(node, tree.Call):
        yield from _changed_calls(node, letters)


def _changed_calls(call: tree.Call, letters: Mapping[str, str]) -> Iterator[tuple[tree.Node, str]]:
    if call.commutative:
        yield replace(call, commutative=False), f"`{unparse(call)}` in one order only"
    if call.func == "centered" and len(call.positional) == 1 and isinstance(call.positional[0], tree.Node):
        yield call.positional[0], f"drop centered in `{unparse(call)}`"
    last = call.args[-1] if call.args else None
    if call.func in GUARD_LETTERS and len(call.args) == 2 and isinstance(last, tree.Name) and last.id in letters:
        other = letters[last.id]
        yield replace(call, args=(call.args[0], replace(last, id=other))), f"`{unparse(call)}`: {last.id} -> {other}"


def _speaks_of(item: Mutable, operator: str) -> bool:
    return any(isinstance(node, tree.Call) and node.func == operator for node in tree.walk(item))


def substituted(node: N, old: tree.Node, new: tree.Node) -> N:
    """A tree with one node, told by identity, replaced."""
    return _rebuilt(node, lambda child: new if child is old else None)


def _rebuilt(node: N, change: Callable[[tree.Node], tree.Node | None]) -> N:
    changes: dict[str, Any] = {}
    for f in fields(node):
        value = getattr(node, f.name)
        if isinstance(value, tree.Node):
            made = change(value) or _rebuilt(value, change)
            if made is not value:
                changes[f.name] = made
        elif isinstance(value, tuple) and any(isinstance(v, tree.Node) for v in value):
            items = tuple(change(v) or _rebuilt(v, change) if isinstance(v, tree.Node) else v for v in value)
            if any(a is not b for a, b in zip(items, value, strict=True)):
                changes[f.name] = items
    return replace(node, **changes) if changes else node
