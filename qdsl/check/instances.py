"""Rules and folds ready for comparison: their root's term under each choice of the `for` operator, with their guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from qdsl.check.facts import Fact, alternatives, contradictory, plain
from qdsl.check.matched import Matched, named
from qdsl.check.rename import substitute
from qdsl.check.terms import Applied, Builder, Computed, Item, Literal, Sequence, Term, Variable
from qdsl.check.unify import Unifier
from qdsl.lang import tree


@dataclass(frozen=True)
class Instance:
    """One rule or fold under one choice of its operator."""

    item: tree.Rule | tree.Fold
    operator: str | None
    root: Applied
    names: Mapping[str, Term]
    """What the names of the match stand for."""
    guard: tuple[frozenset[Fact], ...]
    """The alternatives of the guard; empty where it can never hold."""
    binding: tree.Binding
    """The root's binding."""
    defs: Mapping[str, tree.Def]

    @property
    def name(self) -> str:
        return self.item.name

    @cached_property
    def pinned(self) -> Mapping[str, object]:
        """The root's attributes that are known to be one value: written in the match, or by every alternative."""
        written = {n: plain(v) for n, v in self.root.attributes.items() if v is not None}
        certain = frozenset.intersection(*self.guard) if self.guard else frozenset()
        for fact in certain:
            subject = fact.subject
            if fact.op != "==" or not isinstance(subject, tree.Field) or not isinstance(subject.base, tree.Name):
                continue
            if subject.base.id in self.results:
                written.setdefault(subject.name, fact.value)
        return written

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the root's results."""
        return tuple(t.id for t in named(self.binding.targets))


def instances(matched: Matched, prefix: str, defs: Mapping[str, tree.Def]) -> Iterator[Instance]:
    """The instances of a rule or fold whose match is sound."""
    item = matched.item
    if isinstance(item, tree.Skip):
        return
    guard = alternatives(item.when, defs)
    for operator in item.each.operator_names if item.each else (None,):
        choice = {item.each.variable: operator} if item.each and operator else {}
        builder = Builder(f"{prefix}{operator or ''}", choice)
        values = {id(b): builder.bind(b) for b in matched.bindings}
        root = values[id(matched.roots[-1])]
        if isinstance(root, Applied):
            yield Instance(item, operator, root, dict(builder.names), guard, matched.roots[-1], defs)


def copied(instance: Instance, prefix: str) -> Instance:
    """The instance with variables and calls of its own, so that it can be laid over what it makes itself."""
    done: dict[int, Applied] = {}

    def copy_call(call: Applied) -> Applied:
        if id(call) not in done:
            done[id(call)] = replace(call, operands=tuple(copy(o) for o in call.operands))
        return done[id(call)]

    def copy(term: Term) -> Term:
        if isinstance(term, Applied):
            return copy_call(term)
        if isinstance(term, Variable):
            return replace(term, key=prefix + term.key)
        if isinstance(term, Item):
            return replace(term, call=copy_call(term.call))
        if isinstance(term, Sequence):
            rest = None if term.rest is None else replace(term.rest, key=prefix + term.rest.key)
            return Sequence(tuple(copy(e) for e in term.elements), rest)
        return term

    return replace(instance, root=copy_call(instance.root), names={n: copy(t) for n, t in instance.names.items()})


def calls_in(term: Term) -> Iterator[Applied]:
    """The operators of a term, each once, the outermost first."""
    pending, seen = [term], set()
    while pending:
        current = pending.pop()
        if isinstance(current, Applied) and id(current) not in seen:
            seen.add(id(current))
            yield current
            pending.extend(reversed(current.operands))
        elif isinstance(current, Item):
            pending.append(current.call)
        elif isinstance(current, Sequence):
            pending.extend(reversed(current.elements))


def variables_in(term: Term) -> Iterator[str]:
    """The keys of the variables of a term."""
    for call in calls_in(term):
        pending = list(call.operands)
        while pending:
            operand = pending.pop()
            if isinstance(operand, Variable):
                yield operand.key
            elif isinstance(operand, Sequence):
                pending.extend(operand.elements)
                pending.extend(filter(None, [operand.rest]))


class Representatives:
    """Names for what variables and calls stand for after unification: equal things have equal names."""

    def __init__(self, state: Unifier) -> None:
        self.state = state
        self.of_call: dict[int, int] = {}
        for a, b in state.pairs:
            one, other = self._call(a), self._call(b)
            for key, value in list(self.of_call.items()):
                if value == other:
                    self.of_call[key] = one

    def _call(self, call: Applied) -> int:
        return self.of_call.setdefault(id(call), id(call))

    def name(self, term: Term) -> str:
        """The name of what a term stands for."""
        term = self.state.resolve(term)
        if isinstance(term, Variable):
            return term.key
        if isinstance(term, Applied):
            return f"call {self._call(term)}"
        if isinstance(term, Item):
            return f"call {self._call(term.call)}"
        return f"term {term}"

    def fact(self, fact: Fact, names: Mapping[str, Term]) -> Fact:
        """A guard's fact about the names of an item, as one about what they stand for."""
        renamed = {n: tree.Name(fact.subject.span, self.name(t)) for n, t in names.items()}
        return replace(fact, subject=substitute(fact.subject, renamed))


def is_constant(term: Term, state: Unifier, constants: frozenset[str], path: tuple[int, ...] = ()) -> bool | None:
    """Whether a term is a constant of the model: variables of `constants` are, other variables are not known (None).

    An operator on constants alone has been folded away before rules are tried, so it is no part of any graph: it
    counts as constant, and a match that holds such an operator is impossible.
    """
    term = state.resolve(term)
    if isinstance(term, Literal | Computed):
        return True
    if isinstance(term, Variable):
        return True if term.key in constants else None
    if isinstance(term, Item):
        return is_constant(term.call, state, constants, path)
    if isinstance(term, Sequence):
        parts = [is_constant(e, state, constants, path) for e in term.elements]
        return True if term.rest is None and parts and all(parts) else None
    data = [o for o, d in zip(term.operands, term.operator.operands, strict=True) if d.is_tensor]
    return bool(data) and all(is_constant(o, state, constants, path) for o in data)


def possible(state: Unifier, sides: tuple[Instance, ...]) -> bool:
    """Whether the guards of all sides can hold on what they were unified to."""
    representatives = Representatives(state)
    attributes = _written_attributes(state, sides, representatives)
    combined: list[frozenset[Fact]] = [attributes]
    for side in sides:
        renamed = [frozenset(representatives.fact(f, side.names) for f in a) for a in side.guard]
        combined = [c | r for c in combined for r in renamed]
    return any(not contradictory(c) and _constancy(c, state, sides, representatives) for c in combined)


def _written_attributes(
    state: Unifier, sides: tuple[Instance, ...], representatives: Representatives
) -> frozenset[Fact]:
    """The attributes that patterns write as literals, as facts about their calls."""
    found = set()
    for side in sides:
        for call in calls_in(side.root):
            for name, value in call.attributes.items():
                if value is not None:
                    found.add(representatives.fact(Fact.field("it", name, "==", value), {"it": call}))
    return frozenset(found)


def _constancy(
    facts: frozenset[Fact], state: Unifier, sides: tuple[Instance, ...], representatives: Representatives
) -> bool:
    """Whether what is said to be constant, or not, can be so."""
    said = {f.subject.args[0].id: bool(f.value) for f in facts if _is_constant_fact(f)}  # type: ignore[union-attr]
    constants = frozenset(n for n, holds in said.items() if holds)
    for side in sides:
        for term in side.names.values():
            holds = said.get(representatives.name(term))
            answer = is_constant(term, state, constants)
            resolved = state.resolve(term)
            if isinstance(resolved, Applied | Item):
                # An operator on constants alone is not in the graph; any other is no constant.
                if answer or holds:
                    return False
            elif holds is False and answer:
                return False
        if any(is_constant(c, state, constants) for c in calls_in(side.root)):
            return False
    return True


def _is_constant_fact(fact: Fact) -> bool:
    subject = fact.subject
    if not isinstance(subject, tree.Call) or subject.func != "constant" or fact.op != "==":
        return False
    return len(subject.args) == 1 and isinstance(subject.args[0], tree.Name)
