"""The marks of a rule as a table: each value, where it stands, its format in the rule's words and in plain ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qdsl.check.matched import Matched
from qdsl.formats.format import STORAGE_BITS
from qdsl.lang import tree
from qdsl.lang.program import scheme_type
from qdsl.lang.unparse import unparse

ONE = "one scale"


@dataclass(frozen=True)
class MarkRow:
    """One marked value."""

    value: str
    place: str
    """`result`, or the operand that it is."""
    mark: str
    """The mark as written: `as act`, `like x`."""
    meaning: str
    """The format in words."""


def mark_rows(rule: tree.Rule, matched: Matched, schemes: Mapping[str, tree.Scheme]) -> tuple[MarkRow, ...]:
    """The rows of a rule's table, in the order of its marks."""
    places: dict[str, str] = {}
    for name, place in _places(matched):
        places.setdefault(name, place)
    rows = []
    for mark in rule.annotate:
        for target in mark.targets:
            value = unparse(target)
            rows.append(MarkRow(value, places.get(value, "result"), mark_text(mark), _meaning(mark, value, schemes)))
    return tuple(rows)


def mark_text(mark: tree.Mark) -> str:
    """A mark without its values."""
    if isinstance(mark, tree.Like):
        return f"like {mark.source}" + (f" = {unparse(mark.scale)}" if mark.scale is not None else "")
    return f"as {unparse(mark.spec)}"


def _places(matched: Matched) -> Iterator[tuple[str, str]]:
    """Of every operand that comes from outside, by which name its operator knows it."""
    for call in matched.calls():
        operator = next(iter(matched.operators(call.func)), None)
        names = operator.places(len(call.positional)) if operator else None
        for number, argument in enumerate(call.positional):
            if not isinstance(argument, tree.Name | tree.Spread | tree.List) or names is None:
                continue
            inner = argument.elements if isinstance(argument, tree.List) else (argument,)
            for one in inner:
                if isinstance(one, tree.Name | tree.Spread):
                    place = f"an operand of {call.func}" if call.commutative else f"{names[number]} of {call.func}"
                    yield unparse(one), place


def _meaning(mark: tree.Mark, value: str, schemes: Mapping[str, tree.Scheme]) -> str:
    if isinstance(mark, tree.Like):
        if mark.scale is None:
            return f"the format and scale of {mark.source}"
        return f"the integers of {mark.source}, on the scale {unparse(mark.scale)}"
    words = _spec(mark.spec, schemes)
    spread = any(isinstance(target, tree.SpreadTarget) for target in mark.targets)
    if isinstance(mark, tree.Share) and (spread or len(mark.targets) > 1):
        others = [unparse(target) for target in mark.targets if unparse(target) != value]
        return f"{words.removesuffix(ONE)}{ONE} for all: {', '.join([value, *others])}"
    return words


def _spec(spec: tree.Spec, schemes: Mapping[str, tree.Scheme]) -> str:
    if isinstance(spec, tree.FloatSpec):
        return "float32"
    if isinstance(spec, tree.AnySpec):
        return "the integers that it is in, unchanged"
    if isinstance(spec, tree.FixedSpec):
        return "a known range: " + ", ".join(unparse(argument) for argument in spec.args)
    scheme = schemes.get(spec.scheme)
    words = spec.scheme if scheme is None else scheme_words(scheme)
    if spec.axis is not None:
        words = words.replace("a scale per channel", f"a scale per step along {spec.axis}")
    return words if spec.scale is None else f"{words}: {unparse(spec.scale)}"


def scheme_words(scheme: tree.Scheme) -> str:
    """A scheme in plain words."""
    if scheme.dtype not in STORAGE_BITS:
        return scheme.dtype
    type_ = scheme_type(scheme)
    words = [scheme.dtype, "symmetric" if type_.symmetric else "with a zero point"]
    words += ["without its lowest code"] * type_.narrow
    words += [f"{type_.bits} bits of it used"] * (type_.bits is not None)
    words += ["powers of two as scales"] * type_.pow2
    words.append("a scale per channel" if type_.per_channel else ONE)
    return ", ".join(words)
