"""A compiled pattern as TVM's DPL objects.

One wildcard a name, so that a name seen twice is one value; one pattern a call, so that a call read twice is one call.

A commutative call is an or-pattern of both orders. TVM's matcher takes the first order that fits and never comes back
to it, so where a name or a call is seen twice the order that fits here may be the wrong one for the rest: such a
pattern is written out as an or of all combinations of orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from operator import or_
from typing import Any

from tvm.relax import dpl

from qdsl.match.pattern import Capture, Compiled, Item, ListOf, Operator, Pattern, walk

MOST_COMMUTATIVE = 6
"""Calls in either order that are written out, 64 combinations; beyond that names seen twice are left to `bind`."""


def dataflow_pattern(compiled: Compiled) -> dpl.DFPattern:
    """The TVM pattern, rooted at the operator's call: it matches wherever `bind` does."""
    either = [p for p in walk(compiled.root) if isinstance(p, Operator) and p.commutative]
    if not either or not seen_twice(compiled.root):
        return _Writer(compiled.constants).operator(compiled.root)
    if len(either) > MOST_COMMUTATIVE:
        return _Writer(compiled.constants, shared=False).operator(compiled.root)
    orders = product((False, True), repeat=len(either))
    combinations = [dict(zip(map(id, either), order, strict=True)) for order in orders]
    return reduce(or_, (_Writer(compiled.constants, c).operator(compiled.root) for c in combinations))


def seen_twice(root: Pattern) -> bool:
    """Whether a name or a call stands at two places of a pattern."""
    return any(count > 1 for count in Counter(_places(root)).values())


def _places(pattern: Pattern) -> Iterator[object]:
    yield getattr(pattern, "name", id(pattern))
    if isinstance(pattern, Operator | ListOf):
        for operand in pattern.operands if isinstance(pattern, Operator) else pattern.elements:
            yield from _places(operand)
    elif isinstance(pattern, Item):
        yield from _places(pattern.call)


class _Writer:
    def __init__(
        self, constants: frozenset[str], reversed_at: Mapping[int, bool] | None = None, *, shared: bool = True
    ) -> None:
        self.constants = constants
        self.reversed_at = reversed_at
        self.shared = shared
        self.made: dict[object, dpl.DFPattern] = {}

    def of(self, pattern: Pattern) -> dpl.DFPattern:
        if isinstance(pattern, Capture):
            return self._once(pattern.name, self._leaf)
        if isinstance(pattern, Operator):
            return self.operator(pattern)
        if isinstance(pattern, Item):
            return dpl.is_tuple_get_item(self.operator(pattern.call), pattern.index)
        if isinstance(pattern, ListOf):
            return dpl.TuplePattern([self.of(e) for e in pattern.elements])
        return dpl.wildcard()

    def operator(self, pattern: Operator) -> dpl.DFPattern:
        return self._once(id(pattern), lambda _: self._call(pattern))

    def _once(self, key: Any, make: Any) -> dpl.DFPattern:
        if not self.shared:
            return make(key)
        if key not in self.made:
            self.made[key] = make(key)
        return self.made[key]

    def _leaf(self, name: str) -> dpl.DFPattern:
        return dpl.is_const() if name in self.constants else dpl.wildcard()

    def _call(self, pattern: Operator) -> dpl.DFPattern:
        operands = [self.of(p) for p in pattern.operands]
        orders = [operands]
        if pattern.commutative:
            backwards = self.reversed_at.get(id(pattern)) if self.reversed_at is not None else None
            orders = {None: [operands, operands[::-1]], False: [operands], True: [operands[::-1]]}[backwards]
        return reduce(or_, (self._with_attributes(pattern, order) for order in orders))

    @staticmethod
    def _with_attributes(pattern: Operator, operands: list[dpl.DFPattern]) -> dpl.DFPattern:
        call = dpl.is_op(f"relax.{pattern.op}")(*operands, varg_default_wildcard=True)
        # Numbers are left to `bind`: has_attr compares floats bit for bit, in double.
        exact: dict[str, Any] = {n: v for n, v, _ in pattern.attributes if isinstance(v, str)}
        return call.has_attr(exact) if exact else call
