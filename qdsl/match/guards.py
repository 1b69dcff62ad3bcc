"""Guards: pure questions about a match. Every term that fails says what it saw."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.match.attributes import attributes, plain
from qdsl.match.bind import Match
from qdsl.match.facts import Facts, axis_of_letter, layout_of, result_axis, varies_only_along
from qdsl.match.graph import array_of, dtype_of, is_constant, number_of, operator_name, shape_of
from qdsl.ops import lookup

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
DYNAMIC = frozenset({"quantized", "wanted", "channelwise"})
"""Guards whose answer depends on what became of other operators."""


@dataclass(frozen=True)
class Verdict:
    """Whether a guard holds; where it does not, the first term that failed and what it saw."""

    holds: bool
    term: tree.Expr | None = None
    seen: str = ""

    @property
    def text(self) -> str:
        return "" if self.term is None else unparse(self.term)


class Unanswerable(Exception):
    """A term asks something that this match cannot answer: it counts as false, and says why."""


def check(
    when: tree.Expr | None,
    match: Match,
    facts: Facts,
    defs: Mapping[str, tree.Def],
    only: Callable[[tree.Expr], bool] | None = None,
    record: Callable[[tree.Expr, bool], None] | None = None,
) -> Verdict:
    """Evaluates a guard term by term. `only` selects terms; `record` is told each term's answer (for coverage)."""
    guard = Guard(match, facts, defs)
    for term in tree.conjuncts(when):
        if only is not None and not only(term):
            continue
        try:
            answer, seen = bool(np.all(guard.evaluate(term))), guard.describe(term)
        except Unanswerable as reason:
            answer, seen = False, str(reason)
        if record is not None:
            record(term, answer)
        if not answer:
            return Verdict(False, term, seen)
    return Verdict(True)


def is_static(term: tree.Expr, captures: frozenset[str]) -> bool:
    """Whether a term's answer is known before the sweep: it asks nothing about formats."""
    for node in tree.walk(term):
        if isinstance(node, tree.Call) and node.func in DYNAMIC:
            return False
        if isinstance(node, tree.Call) and node.func == "spans" and len(node.args) == 2:
            reference = node.args[1]
            if isinstance(reference, tree.Name) and reference.id in captures:
                return False
        if isinstance(node, tree.Field) and node.name in ("scale", "zero"):
            return False
    return True


class Guard:
    """Evaluates guard expressions over one match."""

    def __init__(self, match: Match, facts: Facts, defs: Mapping[str, tree.Def]) -> None:
        self.match = match
        self.facts = facts
        self.defs = defs
        self.locals: dict[str, Any] = {}

    def evaluate(self, expr: tree.Expr | tree.Spread) -> Any:
        """The value of an expression. Raises Unanswerable."""
        if isinstance(expr, tree.Number | tree.String):
            return expr.value
        if isinstance(expr, tree.DType):
            return expr.name
        if isinstance(expr, tree.List):
            return [self.evaluate(e) for e in expr.elements if not isinstance(e, tree.Spread)]
        if isinstance(expr, tree.Logic):
            answers = (bool(np.all(self.evaluate(o))) for o in expr.operands)
            return all(answers) if expr.op == "and" else any(answers)
        if isinstance(expr, tree.Unary):
            value = self.evaluate(expr.operand)
            return not bool(np.all(value)) if expr.op == "not" else -value
        if isinstance(expr, tree.Binary):
            return ARITHMETIC[expr.op](self.evaluate(expr.left), self.evaluate(expr.right))
        if isinstance(expr, tree.Compare):
            return self._compare(expr)
        if isinstance(expr, tree.Field):
            return self._field(expr)
        if isinstance(expr, tree.Name):
            return self._number(expr)
        if isinstance(expr, tree.Call):
            return self._call(expr)
        raise Unanswerable(f"{unparse(expr)} is no question about a match")

    def describe(self, term: tree.Expr) -> str:
        """What the sides of a comparison were, or what the names in a term stand for."""
        if isinstance(term, tree.Compare):
            sides = []
            for side in (term.left, term.right):
                if not isinstance(side, tree.Number | tree.String | tree.List):
                    sides.append(f"{unparse(side)} is {show(self.evaluate(side))}")
            return ", ".join(sides)
        return ""

    def _compare(self, expr: tree.Compare) -> Any:
        left, right = self.evaluate(expr.left), self.evaluate(expr.right)
        if isinstance(left, list) or isinstance(right, list):
            return COMPARE[expr.op](list(np.atleast_1d(left)), list(np.atleast_1d(right)))
        return COMPARE[expr.op](left, right)

    def _value(self, expr: Any) -> relax.Expr:
        if isinstance(expr, tree.Name) and expr.id in self.match.captures:
            return self.match.value(expr.id)
        raise Unanswerable(f"{unparse(expr)} is not a value of the match")

    def _values(self, expr: Any) -> tuple[relax.Expr, ...]:
        if isinstance(expr, tree.Name | tree.Spread) and expr.id in self.match.captures:
            return self.match.values(expr.id)
        raise Unanswerable(f"{unparse(expr)} is not a value of the match")

    def _number(self, expr: tree.Name) -> Any:
        if expr.id in self.locals:
            return self.locals[expr.id]
        value = self.match.captures.get(expr.id)
        if value is None or isinstance(value, tuple):
            raise Unanswerable(f"{expr.id} is not a number here")
        if is_constant(value):
            return array_of(value)
        number = number_of(value)
        if number is None:
            raise Unanswerable(f"{expr.id} is computed, not a constant")
        return number

    def _field(self, expr: tree.Field) -> Any:
        if not isinstance(expr.base, tree.Name):
            raise Unanswerable(f"{unparse(expr)}: only values of the match have fields")
        name = expr.base.id
        if expr.name == "shape":
            return list(shape_of(self._value(expr.base)) or ())
        if expr.name == "dtype":
            return dtype_of(self._value(expr.base))
        place = self.match.places.get(name)
        if place is None or place.position != "result":
            raise Unanswerable(f"{name} is not a result of the match, so it has no attribute {expr.name}")
        return call_field(place.call, expr.name)

    def _call(self, expr: tree.Call) -> Any:
        if expr.func in self.defs:
            return self._def(expr)
        question = QUESTIONS.get(expr.func)
        if question is None:
            raise Unanswerable(f"{expr.func} is no guard")
        return question(self, expr)

    def _def(self, expr: tree.Call) -> Any:
        definition = self.defs[expr.func]
        inner = Guard(self.match, self.facts, self.defs)
        inner.locals = {p.id: self.evaluate(a) for p, a in zip(definition.parameters, expr.positional, strict=True)}
        return inner.evaluate(definition.body)


def call_field(call: relax.Call, name: str) -> Any:
    """An attribute of a call, or an operand that is no tensor (a shape, axes, sizes) under its operator's name for
    it."""
    values = attributes(call)
    if name in values:
        return values[name]
    known = lookup(operator_name(call) or "")
    for position, operand in enumerate(known.operands if known else ()):
        if operand.name == name and position < len(call.args):
            return operand_field(call.args[position])
    raise Unanswerable(f"{operator_name(call)} has no attribute {name}")


def operand_field(operand: relax.Expr) -> Any:
    """The value of an operand that is no tensor: a number or a list of numbers."""
    number = number_of(operand)
    if number is not None:
        return number
    if isinstance(operand, relax.ShapeExpr):
        return [plain(v) for v in operand.values]
    if isinstance(operand, relax.Tuple):
        return [operand_field(f) for f in operand.fields]
    return plain(operand)


def show(value: Any) -> str:
    """A short text for a value that a guard saw."""
    array = np.asarray(value)
    if array.size <= 4 or isinstance(value, str):
        return str(value)
    return f"an array between {array.min():g} and {array.max():g}"


def _each(ask: Callable[[Guard, relax.Expr], bool]) -> Callable[[Guard, tree.Call], bool]:
    """A question of several values: all of them."""

    def question(guard: Guard, call: tree.Call) -> bool:
        return all(ask(guard, v) for a in call.positional for v in guard._values(a))

    return question


def _some(ask: Callable[[Guard, relax.Expr], bool]) -> Callable[[Guard, tree.Call], bool]:
    """A question of a spread: one of its values; of single names, all of them."""

    def question(guard: Guard, call: tree.Call) -> bool:
        return all(any(ask(guard, v) for v in guard._values(a)) for a in call.positional)

    return question


def _scalar(guard: Guard, value: relax.Expr) -> bool:
    shape = shape_of(value)
    return number_of(value) is not None or (shape is not None and int(np.prod(shape)) == 1)


def _private(guard: Guard, value: relax.Expr) -> bool:
    inside = {guard.match.root, *guard.match.interior}
    return all(r.var in inside for r in guard.facts.graph.reads(value))


def _dtype(guard: Guard, call: tree.Call) -> Any:
    answer = dtype_of(guard._value(call.positional[0]))
    if len(call.positional) == 1:
        return answer
    return answer == guard.evaluate(call.positional[1])


def _rank(guard: Guard, call: tree.Call) -> int:
    shape = shape_of(guard._value(call.positional[0]))
    if shape is None:
        raise Unanswerable("the shape is not known")
    return len(shape)


def _letter(expr: Any) -> str:
    if isinstance(expr, tree.Name):
        return expr.id
    raise Unanswerable(f"{unparse(expr)} is no axis letter")


def _size(guard: Guard, call: tree.Call) -> int:
    value, letter = call.positional
    shape = shape_of(guard._value(value))
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
    shape = shape_of(guard._value(value))
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
    "shape": lambda g, c: list(shape_of(g._value(c.positional[0])) or ()),
    "size": _size,
    "axis": _axis,
    "spans": _spans,
}
