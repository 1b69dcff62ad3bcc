"""The questions that a guard can ask, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from tvm import relax

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.match.attributes import attributes
from qdsl.match.facts import axis_of_letter, layout_of, result_axis, varies_only_along
from qdsl.match.fields import Unanswerable
from qdsl.match.graph import dtype_of, is_constant, number_of, shape_of

if TYPE_CHECKING:
    from qdsl.match.guards import Guard


def _each(ask: Callable[[Guard, relax.Expr], bool]) -> Callable[[Guard, tree.Call], bool]:
    """A question of several values: all of them."""

    def question(guard: Guard, call: tree.Call) -> bool:
        return all(ask(guard, v) for a in call.positional for v in guard.values(a))

    return question


def _some(ask: Callable[[Guard, relax.Expr], bool]) -> Callable[[Guard, tree.Call], bool]:
    """A question of a spread: one of its values; of single names, all of them."""

    def question(guard: Guard, call: tree.Call) -> bool:
        return all(any(ask(guard, v) for v in guard.values(a)) for a in call.positional)

    return question


def _scalar(guard: Guard, value: relax.Expr) -> bool:
    shape = shape_of(value)
    return number_of(value) is not None or (shape is not None and int(np.prod(shape)) == 1)


def _private(guard: Guard, value: relax.Expr) -> bool:
    inside = {guard.match.root, *guard.match.interior}
    return all(r.var in inside for r in guard.facts.graph.reads(value))


def _dtype(guard: Guard, call: tree.Call) -> Any:
    answer = dtype_of(guard.value(call.positional[0]))
    if len(call.positional) == 1:
        return answer
    return answer == guard.evaluate(call.positional[1])


def _rank(guard: Guard, call: tree.Call) -> int:
    shape = shape_of(guard.value(call.positional[0]))
    if shape is None:
        raise Unanswerable("the shape is not known")
    return len(shape)


def _letter(expr: Any) -> str:
    if isinstance(expr, tree.Name):
        return expr.id
    raise Unanswerable(f"{unparse(expr)} is no axis letter")


def _size(guard: Guard, call: tree.Call) -> int:
    value, letter = call.positional
    shape = shape_of(guard.value(value))
    axis = axis_of_letter(guard.match, _letter(value), _letter(letter))
    if shape is None or axis is None:
        raise Unanswerable(f"{unparse(value)} has no axis {unparse(letter)} here")
    return shape[axis]


def _axis(guard: Guard, call: tree.Call) -> int:
    value, letter = call.positional
    axis = axis_of_letter(guard.match, _letter(value), _letter(letter))
    if axis is None:
        layout = layout_of(guard.match, _letter(value))
        raise Unanswerable(f"{unparse(value)} has layout {layout}, without an axis {unparse(letter)}")
    return axis


def _spans(guard: Guard, call: tree.Call) -> bool:
    value, along = call.positional
    shape = shape_of(guard.value(value))
    if shape is None:
        raise Unanswerable(f"the shape of {unparse(value)} is not known")
    reference = _letter(along)
    if reference in guard.match.captures:
        target = guard.match.value(reference)
        known = guard.facts.format_of(target)
        if known is not None and known.axis is None and known.scheme.per_channel:
            return True  # one scale for the whole accumulator: anything that broadcasts against it spans it
        rank = len(shape_of(target) or ())
        axis = known.axis if known is not None else _natural_axis(guard, reference)
        return varies_only_along(shape, rank, axis)
    found = result_axis(guard.match, reference)
    if found is None:
        raise Unanswerable(f"no operator of the match has an axis {reference}")
    return varies_only_along(shape, found[1], found[0])


def _natural_axis(guard: Guard, name: str) -> int | None:
    """The channel axis of a float value made inside the match (a norm's axis, a convolution's C)."""
    place = guard.match.places.get(name)
    if place is None or place.position != "result":
        return None
    axis = axis_of_letter(guard.match, name, "C")
    return axis if axis is not None else attributes(place.call).get("axis")


QUESTIONS: Mapping[str, Callable[[Guard, tree.Call], Any]] = {
    "constant": _each(lambda g, v: is_constant(v) or number_of(v) is not None),
    "used_once": _each(lambda g, v: len(g.facts.graph.reads(v)) == 1),
    "quantized": _each(lambda g, v: g.facts.format_of(v) is not None),
    "wanted": _some(lambda g, v: g.facts.wanted(v)),
    "channelwise": _each(lambda g, v: g.facts.channelwise(v)),
    "private": _each(_private),
    "scalar": _each(_scalar),
    "dtype": _dtype,
    "rank": _rank,
    "shape": lambda g, c: list(shape_of(g.value(c.positional[0])) or ()),
    "size": _size,
    "axis": _axis,
    "spans": _spans,
}
