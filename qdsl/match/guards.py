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
from qdsl.match.facts import Facts
from qdsl.match.fields import Unanswerable, call_field
from qdsl.match.found import Match
from qdsl.match.graph import array_of, dtype_of, is_constant, number_of, shape_of
from qdsl.match.questions import QUESTIONS

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
        self.facts: Facts = facts
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
            return self._either(expr) if expr.op == "or" else all(np.all(self.evaluate(o)) for o in expr.operands)
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

    def _either(self, expr: tree.Logic) -> bool:
        """Whether one operand holds; one that has no answer does not keep the others from holding."""
        unanswered: Unanswerable | None = None
        for operand in expr.operands:
            try:
                if np.all(self.evaluate(operand)):
                    return True
            except Unanswerable as reason:
                unanswered = unanswered or reason
        if unanswered is not None:
            raise unanswered
        return False

    def _compare(self, expr: tree.Compare) -> Any:
        left, right = self.evaluate(expr.left), self.evaluate(expr.right)
        if isinstance(left, list) or isinstance(right, list):
            return COMPARE[expr.op](list(np.atleast_1d(left)), list(np.atleast_1d(right)))
        return COMPARE[expr.op](left, right)

    def value(self, expr: Any) -> relax.Expr:
        if isinstance(expr, tree.Name) and expr.id in self.match.captures:
            return self.match.value(expr.id)
        raise Unanswerable(f"{unparse(expr)} is not a value of the match")

    def values(self, expr: Any) -> tuple[relax.Expr, ...]:
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
            return list(shape_of(self.value(expr.base)) or ())
        if expr.name == "dtype":
            return dtype_of(self.value(expr.base))
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


def show(value: Any) -> str:
    """A short text for a value that a guard saw."""
    array = np.asarray(value)
    if array.size <= 4 or isinstance(value, str):
        return str(value)
    return f"an array between {array.min():g} and {array.max():g}"
