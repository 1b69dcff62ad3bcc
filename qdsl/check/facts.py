"""What a guard is known to say: its terms as facts that must hold, and as alternatives of which one must hold.

A guard is brought into a disjunction of conjunctions of facts:

    constant(a, b)        constant(a) and constant(b)
    not (p and q)         not p or not q
    not y.training        y.training == false
    not (y.axis == 1)     y.axis != 1, for attributes, which are one value; `not (c > 0)` of a constant stays as it is,
                          because a comparison of a constant speaks of all its elements
    f(x), a def           its body
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from qdsl.check.builtins import GUARDS
from qdsl.check.literals import is_literal, value_of
from qdsl.check.rename import substitute
from qdsl.lang import tree
from qdsl.lang.source import Source, Span

MOST = 64
"""Alternatives beyond this are not told apart: the guard then says only what all of them have in common."""

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", ">=": "<=", "<=": ">="}
NOWHERE = Span(Source("", ""), 0, 0)


@dataclass(frozen=True)
class Fact:
    """`subject op value`, such as constant(w) == True or y.axis == 1."""

    subject: tree.Expr
    op: str
    value: object

    @staticmethod
    def call(
        guard: str, target: tree.NameTarget | tree.SpreadTarget | tree.Name | tree.Spread, holds: bool = True
    ) -> Fact:
        """A guard of one name holds, or does not."""
        spread = isinstance(target, tree.SpreadTarget | tree.Spread)
        argument = tree.Spread(NOWHERE, target.id) if spread else tree.Name(NOWHERE, target.id)
        return Fact(tree.Call(NOWHERE, guard, NOWHERE, (argument,)), "==", holds)

    @staticmethod
    def field(name: str, attribute: str, op: str, value: object) -> Fact:
        """An attribute compares with a number, string or list."""
        return Fact(tree.Field(NOWHERE, tree.Name(NOWHERE, name), attribute), op, plain(value))

    def contradicts(self, other: Fact) -> bool:
        """Whether both cannot hold at once."""
        if self.subject != other.subject:
            return False
        return _excludes(self, other) or _excludes(other, self)

    def entails(self, other: Fact) -> bool:
        """Whether the other holds where this one does."""
        if self == other:
            return True
        if self.subject != other.subject or self.op != "==":
            return False
        return _holds(self.value, other.op, other.value)


def plain(value: object) -> object:
    """A literal's value such that equal values are equal: booleans and whole floats as ints."""
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _holds(left: object, op: str, right: object) -> bool:
    if op in ("==", "!="):
        return (left == right) == (op == "==")
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return False
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]


def _excludes(a: Fact, b: Fact) -> bool:
    if a.op == "==":
        comparable = b.op in ("==", "!=") or (isinstance(a.value, int | float) and isinstance(b.value, int | float))
        return comparable and not _holds(a.value, b.op, b.value)
    if not isinstance(a.value, int | float) or not isinstance(b.value, int | float):
        return False
    if a.op in ("<", "<=") and b.op in (">", ">="):
        return a.value < b.value or (a.value == b.value and a.op + b.op != "<=" + ">=")
    return False


def alternatives(when: tree.Expr | None, defs: Mapping[str, tree.Def]) -> tuple[frozenset[Fact], ...]:
    """The guard as alternatives, contradictory ones left out; one without facts where there is no guard."""
    if when is None:
        return (frozenset(),)
    found = tuple(a for a in _expand(when, True, defs, ()) if not contradictory(a))
    return found


def implied(when: tree.Expr | None, defs: Mapping[str, tree.Def]) -> frozenset[Fact]:
    """The facts that hold wherever the guard does."""
    every = alternatives(when, defs)
    return frozenset.intersection(*every) if every else frozenset()


def contradictory(facts: frozenset[Fact]) -> bool:
    """Whether some facts cannot hold together."""
    by_subject: dict[tree.Expr, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    return any(a.contradicts(b) for group in by_subject.values() for i, a in enumerate(group) for b in group[:i])


def _expand(
    expr: tree.Expr, holds: bool, defs: Mapping[str, tree.Def], path: tuple[str, ...]
) -> tuple[frozenset[Fact], ...]:
    if isinstance(expr, tree.Logic):
        parts = [_expand(o, holds, defs, path) for o in expr.operands]
        return _all_of(parts) if (expr.op == "and") == holds else tuple(a for part in parts for a in part)
    if isinstance(expr, tree.Unary) and expr.op == "not":
        return _expand(expr.operand, not holds, defs, path)
    if isinstance(expr, tree.Compare):
        return (frozenset({_comparison(expr, holds)}),)
    if isinstance(expr, tree.Call) and expr.func in defs and expr.func not in path:
        definition = defs[expr.func]
        if len(definition.parameters) == len(expr.args):
            values = {p.id: a for p, a in zip(definition.parameters, expr.args, strict=True)}
            return _expand(substitute(definition.body, values), holds, defs, (*path, expr.func))
    if isinstance(expr, tree.Call) and expr.func in GUARDS and len(expr.args) > 1 and GUARDS[expr.func].most is None:
        one_each = [
            (frozenset({_truth(tree.Call(expr.span, expr.func, expr.func_span, (a,)), holds)}),) for a in expr.args
        ]
        return _all_of(one_each) if holds else tuple(a for part in one_each for a in part)
    return (frozenset({_truth(expr, holds)}),)


def _all_of(parts: Sequence[tuple[frozenset[Fact], ...]]) -> tuple[frozenset[Fact], ...]:
    size = 1
    for part in parts:
        size *= max(1, len(part))
    if size > MOST:
        return (frozenset().union(*(frozenset.intersection(*part) for part in parts if part)),)
    return tuple(frozenset().union(*choice) for choice in product(*parts))


def _truth(expr: tree.Expr, holds: bool) -> Fact:
    return Fact(expr, "==", int(holds))


def _comparison(expr: tree.Compare, holds: bool) -> Fact:
    """`subject op literal`, the literal on the right; any other comparison is a term of its own."""
    left, op, right = expr.left, expr.op, expr.right
    if is_literal(left) and not is_literal(right):
        left, op, right = right, MIRRORED[op], left
    if not is_literal(right):
        return _truth(tree.Compare(expr.span, op, left, right), holds)
    if not holds and isinstance(left, tree.Name):
        return _truth(tree.Compare(expr.span, op, left, right), False)
    return Fact(left, op if holds else OPPOSITE[op], plain(value_of(right)))
