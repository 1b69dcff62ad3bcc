"""What a fold makes: its rewrite clause as a term over its match, expressions of constants as one constant each."""

from __future__ import annotations

from dataclasses import replace

from qdsl.check.facts import Fact
from qdsl.check.instances import Instance, is_constant
from qdsl.check.terms import Applied, Builder, Computed, Item, Sequence, Term, Variable, show
from qdsl.check.unify import Unifier
from qdsl.lang import tree


def rewritten(instance: Instance) -> Term | None:
    """The term that the first result of the match becomes; None where the clause does not define it."""
    fold = instance.item
    if not isinstance(fold, tree.Fold) or not instance.results:
        return None
    choice = {fold.each.variable: instance.operator} if fold.each and instance.operator else {}
    known = {n: t for n, t in instance.names.items() if n not in instance.results}
    builder = Builder(f"{instance.name} made {instance.operator or ''}", choice, instance.defs, known, is_pattern=False)
    for binding in fold.rewrite:
        builder.bind(binding)
    result = builder.names.get(instance.results[0])
    return None if result is None else computed(result, constants_of(instance))


def constants_of(instance: Instance) -> frozenset[str]:
    """The variables that the guard demands to be constant, in every alternative."""
    found: set[str] = set()
    for name, term in instance.names.items():
        fact = Fact.call("constant", tree.Name(instance.item.span, name))
        if isinstance(term, Variable) and instance.guard and all(fact in a for a in instance.guard):
            found.add(term.key)
    return frozenset(found)


def computed(term: Term, constants: frozenset[str]) -> Term:
    """The term with every operator on constants alone made one constant."""
    done: dict[int, Term] = {}

    def visit(current: Term) -> Term:
        if isinstance(current, Item):
            call = visit(current.call)
            return Item(call, current.index) if isinstance(call, Applied) else call
        if isinstance(current, Sequence):
            return Sequence(tuple(visit(e) for e in current.elements), current.rest)
        if not isinstance(current, Applied):
            return current
        if id(current) not in done:
            done[id(current)] = fold(current)
        return done[id(current)]

    def fold(call: Applied) -> Term:
        if is_constant(call, Unifier(), constants):
            return Computed(show(call))
        operands = tuple(visit(o) for o in call.operands)
        unchanged = all(a is b for a, b in zip(operands, call.operands, strict=True))
        return call if unchanged else replace(call, operands=operands)

    return visit(term)
