"""Whether a pattern matches what a fold makes, as far as the rule files can tell.

Only structure that the fold makes, or that its match has named, counts: what a capture stands for was there before the
fold, so matching inside of it is no work begun again. (x + a) + b -> x + (a + b) ends, although x may be a sum itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from qdsl.check.facts import Fact, contradictory, plain
from qdsl.check.instances import Instance, Representatives, calls_in, copied, is_constant, variables_in
from qdsl.check.terms import Applied, Computed, Item, Literal, Term, Variable
from qdsl.check.unify import TooComplex, Unifier, unify
from qdsl.lang import tree


def matches_made(maker: Instance, pattern: Instance, call: Applied) -> bool:
    """Whether `pattern` matches at `call`, an operator in the result of `maker`; captures of `maker` are opaque."""
    if pattern is maker:
        pattern = copied(pattern, "again ")
    rigid = frozenset((*variables_in(call), *variables_in(maker.root)))
    try:
        return any(Attempt(maker, pattern, state).holds() for state in unify(pattern.root, call, Unifier(rigid=rigid)))
    except TooComplex:
        return False


@dataclass(frozen=True)
class Attempt:
    """A pattern laid over what a fold made."""

    maker: Instance
    pattern: Instance
    state: Unifier

    def holds(self) -> bool:
        """Whether attributes agree, and some alternative of the pattern's guard holds under one of the maker's."""
        if not all(self._attributes_agree(a, b) for a, b in self.state.pairs):
            return False
        representatives = Representatives(self.state)
        for own in self.maker.guard:
            known = frozenset(self._known(own, representatives))
            for wanted in self.pattern.guard:
                if all(self._holds(f, known, representatives) for f in wanted):
                    return True
        return False

    def _attributes_agree(self, matched: Applied, made: Applied) -> bool:
        for name, value in matched.attributes.items():
            held = self.attribute(made, name)
            if value is not None and held is not None and plain(held) != plain(value):
                return False
        return True

    def attribute(self, made: Applied, name: str) -> object:
        """An attribute of a call that the fold made, where it is known: written, or left at its default."""
        if name in made.attributes:
            return made.attributes[name]
        if made.source is not None or any(c is made for c in calls_in(self.maker.root)):
            return None
        attribute = made.operator.attribute(name)
        return None if attribute is None else attribute.default

    def _known(self, own: frozenset[Fact], representatives: Representatives) -> Iterator[Fact]:
        """The maker's facts; those on attributes hold for calls that take the attributes over as well."""
        for fact in own:
            yield representatives.fact(fact, self.maker.names)
            subject = fact.subject
            if not isinstance(subject, tree.Field) or not isinstance(subject.base, tree.Name):
                continue
            for _, made in self.state.pairs:
                if made.source == subject.base.id and subject.name not in made.attributes:
                    yield representatives.fact(replace(fact, subject=subject), {subject.base.id: made})

    def _holds(self, fact: Fact, known: frozenset[Fact], representatives: Representatives) -> bool:
        """Whether a fact of the pattern's guard holds on what its names stand for.

        What is constant is known exactly. An attribute holds unless it is known to be another. A comparison of a
        constant that the fold computes is what ends the work, so it counts as false. Everything else (ranks, uses)
        counts as true.
        """
        renamed = representatives.fact(fact, self.pattern.names)
        if any(k.entails(renamed) for k in known):
            return True
        if contradictory(known | {renamed}):
            return False
        subject = fact.subject
        if isinstance(subject, tree.Call) and subject.func == "constant":
            return self._constant(subject, bool(fact.value))
        if isinstance(subject, tree.Field) and isinstance(subject.base, tree.Name):
            call = self._made(self.pattern.names.get(subject.base.id))
            held = None if call is None else self.attribute(call, subject.name)
            return held is None or not contradictory(frozenset({fact, Fact(subject, "==", plain(held))}))
        if isinstance(subject, tree.Name):
            term = self.state.resolve(self.pattern.names[subject.id]) if subject.id in self.pattern.names else None
            written = isinstance(term, Literal)
            return written and not contradictory(frozenset({fact, Fact(subject, "==", plain(term.value))}))  # type: ignore[union-attr]
        return not (isinstance(subject, tree.Compare) and isinstance(subject.left, tree.Name))

    def _made(self, term: Term | None) -> Applied | None:
        """The call of the fold's result that a call of the pattern was laid over."""
        call = term.call if isinstance(term, Item) else term
        return next((made for matched, made in self.state.pairs if matched is call), None)

    def _constant(self, subject: tree.Call, wanted: bool) -> bool:
        argument = subject.args[0]
        term = self.pattern.names.get(argument.id) if isinstance(argument, tree.Name | tree.Spread) else None
        resolved = None if term is None else self.state.resolve(term)
        if resolved is None or isinstance(resolved, Variable):
            return False  # an opaque capture of which the fold's guard says nothing
        if isinstance(resolved, Literal | Computed):
            return wanted
        return bool(is_constant(resolved, self.state, frozenset())) == wanted
