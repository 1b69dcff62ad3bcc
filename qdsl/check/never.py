"""Rules that can never fire (Q0404): the guard contradicts itself or the match, or another rule takes all matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qdsl.check.facts import Fact, alternatives
from qdsl.check.finding import error
from qdsl.check.instances import Instance, Representatives, is_constant, possible, variables_in
from qdsl.check.matched import Matched
from qdsl.check.terms import Applied, Item, Literal
from qdsl.check.unify import TooComplex, Unifier, unify
from qdsl.formats.format import SchemeType
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic


def check_guard_can_hold(
    matched: Matched, found: Sequence[Instance], defs: Mapping[str, tree.Def]
) -> Iterator[Diagnostic]:
    """One finding where no operator of the item has a match on which its guard holds."""
    item = matched.item
    if isinstance(item, tree.Skip) or not found:
        return
    kind = type(item).__name__.lower()
    at = item.name_span if item.when is None else item.when.span
    if not alternatives(item.when, defs):
        text = f"the {kind} {item.name} can never fire: its guard contradicts itself"
        yield error("Q0404", text, at, help="delete one of the terms that exclude each other")
    elif name := _read_twice(found):
        text = (
            f"the {kind} {item.name} can never fire: {name} is read twice in the match, so used_once({name}) is false"
        )
        help = f"write private({name}): every reader is inside the match"
        yield error("Q0404", text, at, others=[(matched.captures[name].span, "computed here")], help=help)
    elif not any(possible(Unifier(), (i,)) for i in found):
        text = f"the {kind} {item.name} can never fire: its guard cannot hold on its match"
        help = "a result of an operator is no constant, and an operator on constants alone is folded away"
        yield error("Q0404", text, at, others=[(b.span, "the match") for b in matched.roots[-1:]], help=help)


def _read_twice(found: Sequence[Instance]) -> str | None:
    """A name that every alternative of the guard wants used once, and that the match reads more than once."""
    item = found[0].item
    reads: dict[str, int] = {}
    for binding in item.match:
        for node in tree.walk(binding.value):
            if isinstance(node, tree.Name):
                reads[node.id] = reads.get(node.id, 0) + 1
    for name, number in reads.items():
        if number > 1 and all(Fact.call("used_once", tree.Name(item.span, name)) in a for a in found[0].guard):
            return name
    return None


def subsumes(first: Instance, second: Instance, schemes: Mapping[str, SchemeType]) -> bool:
    """Whether `first`, tried before `second`, fires wherever `second` could."""
    rigid = frozenset(variables_in(second.root))
    try:
        for state in unify(first.root, second.root, Unifier(rigid=rigid)):
            if any(b.either_order and not a.either_order for a, b in state.pairs):
                continue  # the second also matches the order that the first does not
            if _guard_follows(first, second, state) and _marks_follow(first, second, state, schemes):
                return True
    except TooComplex:
        return False
    return False


def _guard_follows(first: Instance, second: Instance, state: Unifier) -> bool:
    """Whether the first guard holds where the second does: under each alternative of the second, one of the first."""
    representatives = Representatives(state)
    mine = [frozenset(representatives.fact(f, first.names) for f in a) for a in first.guard]
    theirs = [frozenset(representatives.fact(f, second.names) for f in a) for a in second.guard]
    given = {representatives.name(t): t for names in (first.names, second.names) for t in names.values()}
    written = [
        representatives.fact(Fact.field("it", n, "==", v), {"it": second.root})
        for n, v in second.root.attributes.items()
        if v is not None
    ]
    attributes_follow = all(
        any(w.entails(representatives.fact(Fact.field("it", n, "==", v), {"it": first.root})) for w in written)
        for n, v in first.root.attributes.items()
    )
    return attributes_follow and all(
        any(all(_follows(f, (*a, *written), given, state) for f in m) for m in mine) for a in theirs
    )


def _follows(fact: Fact, known: Sequence[Fact], given: Mapping[str, object], state: Unifier) -> bool:
    """Whether a fact follows from known ones, or from what its name stands for."""
    if any(k.entails(fact) for k in known):
        return True
    subject = fact.subject
    if not isinstance(subject, tree.Call) or subject.func != "constant" or not isinstance(subject.args[0], tree.Name):
        return False
    term = given.get(subject.args[0].id)
    resolved = state.resolve(term) if term is not None else None  # type: ignore[arg-type]
    if isinstance(resolved, Literal):
        return bool(fact.value)
    return isinstance(resolved, Applied | Item) and not fact.value and not is_constant(resolved, state, frozenset())


def _marks_follow(first: Instance, second: Instance, state: Unifier, schemes: Mapping[str, SchemeType]) -> bool:
    """Whether no mark of the first refuses a value that the second would take.

    `any` is refused on floats and an accumulator on anything that is none; every other mark coerces.
    """
    refusing = dict(_refusals(first, schemes))
    also = {(state.resolve(second.names[n]), why) for n, why in _refusals(second, schemes) if n in second.names}
    return all((state.resolve(first.names[n]), why) in also for n, why in refusing.items() if n in first.names)


def _refusals(instance: Instance, schemes: Mapping[str, SchemeType]) -> Iterator[tuple[str, str]]:
    """The operands whose mark can be refused, and why."""
    rule = instance.item
    if not isinstance(rule, tree.Rule):
        return
    made = {t.id for b in rule.match for t in b.targets if not isinstance(t, tree.IgnoredTarget)}
    for mark in rule.annotate:
        if isinstance(mark, tree.Like):
            continue
        scheme = schemes.get(mark.spec.scheme) if isinstance(mark.spec, tree.SchemeSpec) else None
        accumulates = scheme is not None and scheme.is_accumulator
        for target in mark.targets:
            if target.id not in made and (accumulates or isinstance(mark.spec, tree.AnySpec)):
                yield target.id, "accumulator" if accumulates else "any"
