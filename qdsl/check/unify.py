"""Whether two terms can be the same piece of a graph: unification with an occurs check.

Commutative operands are tried in both orders, so there may be several answers; each is a set of bindings of variables
together with the pairs of calls that became one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from qdsl.check.terms import Applied, Computed, Item, Literal, Sequence, Term, Variable

BUDGET = 20_000
"""Steps after which a pair of patterns is given up as not comparable; real ones take under a hundred."""


class TooComplex(Exception):
    """Two patterns whose commutative operands have more orders than can be tried."""


@dataclass(frozen=True)
class Unifier:
    """What has been found equal so far."""

    bindings: Mapping[str, Term] = field(default_factory=dict)
    pairs: tuple[tuple[Applied, Applied], ...] = ()
    rigid: frozenset[str] = frozenset()
    """Variables that stand for one unknown thing and cannot be bound."""

    def resolve(self, term: Term) -> Term:
        """What a term is after the bindings of variables."""
        while isinstance(term, Variable) and term.key in self.bindings:
            term = self.bindings[term.key]
        return term

    def bind(self, variable: Variable, term: Term) -> Unifier:
        return Unifier({**self.bindings, variable.key: term}, self.pairs, self.rigid)

    def paired(self, a: Applied, b: Applied) -> Unifier:
        return Unifier(self.bindings, (*self.pairs, (a, b)), self.rigid)


def unify(a: Term, b: Term, state: Unifier) -> Iterator[Unifier]:
    """Every way to make both terms equal. Raises TooComplex beyond BUDGET steps."""
    steps = count()
    yield from _unify([(a, b)], state, steps)


def _unify(goals: list[tuple[Term, Term]], state: Unifier, steps: Iterator[int]) -> Iterator[Unifier]:
    if next(steps) > BUDGET:
        raise TooComplex
    if not goals:
        yield state
        return
    (left, right), rest = goals[0], goals[1:]
    a, b = state.resolve(left), state.resolve(right)
    if a is b or (a == b and not isinstance(a, Applied)):
        yield from _unify(rest, state, steps)
        return
    for variable, other in ((a, b), (b, a)):
        if isinstance(variable, Variable) and variable.key not in state.rigid:
            if not occurs(variable, other, state):
                yield from _unify(rest, state.bind(variable, other), steps)
            return
    for more, after in _decompose(a, b, state):
        yield from _unify([*more, *rest], after, steps)


def _decompose(a: Term, b: Term, state: Unifier) -> Iterator[tuple[list[tuple[Term, Term]], Unifier]]:
    """The goals under two terms that are no free variables; none where they clash."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        if same_number(a.value, b.value):
            yield [], state
    elif isinstance(a, Item) and isinstance(b, Item):
        if a.index == b.index:
            yield [(a.call, b.call)], state
    elif isinstance(a, Sequence) and isinstance(b, Sequence):
        # A spread stands for any list.
        if a.rest is not None or b.rest is not None:
            yield [], state
        elif len(a.elements) == len(b.elements):
            yield list(zip(a.elements, b.elements, strict=True)), state
    elif isinstance(a, Applied) and isinstance(b, Applied) and a.operator.name == b.operator.name:
        if any((a, b) == pair or (b, a) == pair for pair in state.pairs):
            yield [], state
            return
        after = state.paired(a, b)
        yield list(zip(a.operands, b.operands, strict=True)), after
        if a.either_order or b.either_order:
            yield list(zip(a.operands, b.operands[::-1], strict=True)), after
    elif isinstance(a, Computed) and isinstance(b, Computed) and a == b:
        yield [], state


def same_number(a: object, b: object) -> bool:
    """Whether two literals are the same within the rounding that a match allows (2 ulp of float32)."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= 2**-22 * max(abs(a), abs(b))
    return a == b


def occurs(variable: Variable, term: Term, state: Unifier) -> bool:
    """Whether a variable stands inside a term (the term itself aside): then it can be no part of itself."""
    pending, seen = [term], set()
    while pending:
        current = state.resolve(pending.pop())
        if current == variable and current is not term:
            return True
        if isinstance(current, Applied):
            if id(current) not in seen:
                seen.add(id(current))
                pending.extend(current.operands)
        elif isinstance(current, Item):
            pending.append(current.call)
        elif isinstance(current, Sequence):
            pending.extend(current.elements)
    return False
