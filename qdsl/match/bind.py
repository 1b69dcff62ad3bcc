"""Our own walk over a pattern tree: which value each name stands for, or the first step that failed and what it saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tvm import relax

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.match.attributes import attributes
from qdsl.match.found import Captured, Failure, Match, Place
from qdsl.match.graph import Graph, number_of, operator_name, shape_of
from qdsl.match.pattern import Capture, Compiled, Item, ListOf, Literal, Operator, Parts, Pattern


@dataclass(frozen=True)
class _State:
    captures: dict[str, Captured] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    interior: tuple[relax.Var, ...] = ()
    steps: int = 0

    def bind(self, name: str, value: Captured, place: Place | None = None) -> _State:
        places = self.places if place is None or name in self.places else {**self.places, name: place}
        return _State({**self.captures, name: value}, places, self.interior, self.steps + 1)

    def inside(self, *values: relax.Var) -> _State:
        new = tuple(v for v in values if v not in self.interior)
        return _State(self.captures, self.places, self.interior + new, self.steps + 1)


def bind(graph: Graph, compiled: Compiled, root: relax.Var, failure: Failure | None = None) -> Iterator[Match]:
    """All ways in which a pattern matches at a root, the preferred operand order first."""
    failure = failure if failure is not None else Failure()
    walker = _Walker(graph, failure)
    call = graph.value_of.get(root)
    for state in walker.call(compiled.root, root, call, _State(), is_root=True):
        results = tuple(t.id for t in compiled.root.results if not isinstance(t, tree.IgnoredTarget))
        interior = tuple(v for v in state.interior if v != root)
        yield Match(compiled, root, state.captures, state.places, results, interior)


class _Walker:
    def __init__(self, graph: Graph, failure: Failure) -> None:
        self.graph = graph
        self.failure = failure

    def value(self, pattern: Pattern, expr: relax.Expr, state: _State, place: Place) -> Iterator[_State]:
        if isinstance(pattern, Capture):
            yield from self.name(pattern.name, expr, state, place, pattern.span)
        elif isinstance(pattern, Literal):
            seen = number_of(self.graph.define(expr))
            if seen is not None and same_number(seen, pattern.value):
                yield state
            else:
                found = "no single number" if seen is None else f"{seen:g}"
                self.failure.record(state.steps, pattern.span, f"expected {pattern.value:g}, found {found}")
        elif isinstance(pattern, Parts | ListOf):
            yield from self.fields(pattern, expr, state, place)
        elif isinstance(pattern, Item):
            yield from self.item(pattern, expr, state)
        elif isinstance(expr, relax.Var):
            yield from self.call(pattern, expr, self.graph.define(expr), state)
        else:
            self.failure.record(state.steps, pattern.span, f"expected {pattern.op}, found a constant")

    def name(self, name: str, value: Captured, state: _State, place: Place, span: Span) -> Iterator[_State]:
        """A name seen for the first time stands for the value; seen again, it has to stand for the same one."""
        bound = state.captures.get(name)
        if bound is None:
            yield state.bind(name, value, place)
        elif same_capture(bound, value):
            yield state
        else:
            self.failure.record(state.steps, span, f"{name} stands for two different values here")

    def fields(self, pattern: Parts | ListOf, expr: relax.Expr, state: _State, place: Place) -> Iterator[_State]:
        fields = self.graph.define(expr)
        if not isinstance(fields, relax.Tuple):
            self.failure.record(state.steps, pattern.span, "expected a list of tensors")
            return
        if isinstance(pattern, Parts):
            yield from self.name(pattern.name, tuple(fields.fields), state, place, pattern.span)
            return
        if len(fields.fields) != len(pattern.elements):
            message = f"expected a list of {len(pattern.elements)}, found one of {len(fields.fields)}"
            self.failure.record(state.steps, pattern.span, message)
            return
        elements = [(p, (place.position, f)) for p, f in zip(pattern.elements, fields.fields, strict=True)]
        yield from self.all(elements, state, place.call)

    def item(self, pattern: Item, expr: relax.Expr, state: _State) -> Iterator[_State]:
        value = self.graph.value_of.get(expr) if isinstance(expr, relax.Var) else None
        if not isinstance(value, relax.TupleGetItem) or value.index != pattern.index:
            found = operator_name(self.graph.define(expr)) or "an input or a constant"
            message = f"expected result {pattern.index} of {pattern.call.op}, found {found}"
            self.failure.record(state.steps, pattern.span, message)
            return
        below = self.graph.define(value.tuple_value)
        yield from self.call(pattern.call, value.tuple_value, below, state.inside(expr))

    def call(
        self, pattern: Operator, var: relax.Var, call: relax.Expr | None, state: _State, is_root: bool = False
    ) -> Iterator[_State]:
        name = operator_name(call) if call is not None else None
        if name != pattern.op or not isinstance(call, relax.Call):
            found = name or "an input or a constant"
            self.failure.record(state.steps, pattern.span, f"expected {pattern.op}, found {found}")
            return
        if not self._attributes_agree(pattern, call, state):
            return
        if len(pattern.operands) > len(call.args):
            message = f"{pattern.op} has {len(call.args)} operands here"
            self.failure.record(state.steps, pattern.span, message)
            return
        left_out = call.args[len(pattern.operands) :]
        if any(shape_of(a) is not None for a in left_out):
            self.failure.record(state.steps, pattern.span, f"{pattern.op} has further tensor operands here")
            return
        entered = state.inside(var)
        for order in self._orders(pattern, call):
            pairs = list(zip(pattern.operands, order, strict=True))
            for matched in self.all(pairs, entered, call):
                yield from self._bind_results(pattern, var, call, matched)

    def all(
        self, pairs: list[tuple[Pattern, tuple[int | str, relax.Expr]]], state: _State, call: relax.Call
    ) -> Iterator[_State]:
        if not pairs:
            yield state
            return
        (pattern, (position, expr)), rest = pairs[0], pairs[1:]
        for matched in self.value(pattern, expr, state, Place(call, position)):
            yield from self.all(rest, matched, call)

    def _orders(self, pattern: Operator, call: relax.Call) -> Iterator[list[tuple[int | str, relax.Expr]]]:
        operands: list[tuple[int | str, relax.Expr]] = list(enumerate(call.args[: len(pattern.operands)]))
        if not pattern.commutative:
            yield operands
            return
        # The first written is by preference the value computed later: the other then already lies in memory.
        later = sorted(operands, key=lambda pair: -self._order(pair[1]))
        first = operands if self._order(operands[0][1]) == self._order(operands[1][1]) else later
        yield first
        if not same_value(operands[0][1], operands[1][1]):
            yield first[::-1]

    def _order(self, expr: relax.Expr) -> int:
        return self.graph.order.get(expr, -1) if isinstance(expr, relax.Var) else -1

    def _attributes_agree(self, pattern: Operator, call: relax.Call, state: _State) -> bool:
        if not pattern.attributes:
            return True
        actual = attributes(call)
        for name, expected, span in pattern.attributes:
            if name not in actual or not same_attribute(actual[name], expected):
                seen = actual.get(name, "nothing of that name")
                self.failure.record(state.steps, span, f"expected {name}={expected}, found {seen}")
                return False
        return True

    def _bind_results(self, pattern: Operator, var: relax.Var, call: relax.Call, state: _State) -> Iterator[_State]:
        targets = pattern.results
        place = Place(call, "result")
        if len(targets) == 1 and isinstance(targets[0], tree.NameTarget):
            yield from self.name(targets[0].id, var, state, place, targets[0].span)
            return
        items = self._items(var)
        if len(targets) == 1 and isinstance(targets[0], tree.SpreadTarget):
            used = tuple(items[i] for i in sorted(items))
            yield from self.name(targets[0].id, used, state.inside(*used), place, targets[0].span)
            return
        states = [state]
        for index, target in enumerate(targets):
            item = items.get(index)
            if isinstance(target, tree.IgnoredTarget):
                if item is not None and self.graph.reads(item):
                    self.failure.record(state.steps, target.span, f"result {index} of {pattern.op} is used")
                    return
            elif item is None:
                self.failure.record(state.steps, target.span, f"result {index} of {pattern.op} is not used")
                return
            else:
                states = [n for s in states for n in self.name(target.id, item, s.inside(item), place, target.span)]
        yield from states

    def _items(self, var: relax.Var) -> dict[int, relax.Var]:
        """The variables that hold the items of a tuple-valued variable, by index."""
        items: dict[int, relax.Var] = {}
        for reader in self.graph.reads(var):
            value = self.graph.value_of.get(reader.var) if reader.var is not None else None
            if isinstance(value, relax.TupleGetItem):
                items.setdefault(value.index, reader.var)
        return items


def same_capture(a: Captured, b: Captured) -> bool:
    """Whether a name stands for the same twice: one value, or a list of the same values."""
    left, right = (c if isinstance(c, tuple) else (c,) for c in (a, b))
    return len(left) == len(right) and all(map(same_value, left, right))


def same_value(a: relax.Expr, b: relax.Expr) -> bool:
    """Whether two operands are one value: the same variable, or the same constant object."""
    return bool(a.same_as(b)) or (isinstance(a, relax.Var) and isinstance(b, relax.Var) and a == b)


def same_number(seen: float, expected: float) -> bool:
    """Equal within two units in the last place of float32, which is what constants are stored in."""
    return abs(np.float64(seen) - np.float64(expected)) <= 2 * np.spacing(np.float32(abs(expected)))


def same_attribute(seen: Any, expected: Any) -> bool:
    if isinstance(seen, list) or isinstance(expected, list):
        left = seen if isinstance(seen, list) else [seen]
        right = expected if isinstance(expected, list) else [expected]
        return len(left) == len(right) and all(map(same_attribute, left, right))
    if isinstance(seen, str) or isinstance(expected, str) or seen is None or expected is None:
        return bool(seen == expected)
    return same_number(float(seen), float(expected))
