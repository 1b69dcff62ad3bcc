"""Rules that can match the same piece of a graph: without `overrides` (Q0403), with `overrides` for nothing (Q0405),
and rules that never get their turn (Q0404).

A rule that overrides another with the same match and guard replaces it, which presets do on purpose; one that overrides
a more special rule has `overrides` on the wrong side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qdsl.check.finding import error, listed, meant, warning
from qdsl.check.instances import Instance, calls_in, possible
from qdsl.check.never import subsumes
from qdsl.check.terms import show
from qdsl.check.unify import TooComplex, Unifier, same_number, unify
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program


@dataclass(frozen=True)
class Overlap:
    """Two instances and a piece of a graph that both match."""

    a: Instance
    b: Instance
    example: str


@dataclass
class Ruleset:
    """The rules of a program for comparison, those with a sound match only."""

    program: Program
    instances: Sequence[Instance]
    overridden: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each rule the rules that come after it because it overrides them, directly or by way of others."""

    def __post_init__(self) -> None:
        direct = {r.name: {t.id for t in r.overrides} for r in reversed(self.program.rules)}
        self.overridden = {name: frozenset(reachable(name, direct)) for name in direct}

    def ordered(self, a: str, b: str) -> bool:
        """Whether one of two rules overrides the other."""
        return b in self.overridden.get(a, ()) or a in self.overridden.get(b, ())


def reachable(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    """What can be reached from a name in one step or more."""
    found: set[str] = set()
    pending = list(edges.get(start, ()))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(edges.get(name, ()))
    return found


def check_overlaps(rules: Ruleset) -> Iterator[Diagnostic]:
    """Every pair of rules with a root in common, once."""
    by_root: dict[str, list[Instance]] = {}
    for instance in rules.instances:
        by_root.setdefault(instance.root.operator.name, []).append(instance)
    found: dict[tuple[int, int], Overlap] = {}
    for group in by_root.values():
        for index, a in enumerate(group):
            for b in group[index + 1 :]:
                key = (id(a.item), id(b.item))
                if a.item is not b.item and key not in found and (overlap := overlapping(a, b)) is not None:
                    found[key] = overlap
    together = {frozenset((o.a.name, o.b.name)) for o in found.values()}
    for overlap in found.values():
        if not rules.ordered(overlap.a.name, overlap.b.name):
            yield _undecided(overlap)
    yield from _overrides(rules, together)
    yield from _shadowed(rules, list(found.values()))


def overlapping(a: Instance, b: Instance) -> Overlap | None:
    """The first piece of a graph that both match, or None."""
    if not _may(a, b):
        return None
    try:
        for state in unify(a.root, b.root, Unifier()):
            if possible(state, (a, b)):
                return Overlap(a, b, show(a.root if _size(a) >= _size(b) else b.root))
    except TooComplex:
        return None
    return None


def _may(a: Instance, b: Instance) -> bool:
    """A quick look at the roots' attributes, which tell most rules of one operator apart."""
    others = b.pinned
    return all(same_number(value, others[name]) for name, value in a.pinned.items() if name in others)


def _size(instance: Instance) -> int:
    return sum(1 for _ in calls_in(instance.root))


def _special(overlap: Overlap) -> tuple[Instance, Instance]:
    """The rule that should come first, and the other: the larger match, then the longer guard, then the later one."""

    def weight(instance: Instance) -> tuple[int, int]:
        return _size(instance), len(tree.conjuncts(instance.item.when))

    a, b = overlap.a, overlap.b
    return (a, b) if weight(a) > weight(b) else (b, a)


def _undecided(overlap: Overlap) -> Diagnostic:
    first, second = _special(overlap)
    text = (
        f"the rules {overlap.a.name} and {overlap.b.name} both match {overlap.example}, and neither overrides the other"
    )
    later, earlier = (overlap.b.item, overlap.a.item)
    others = [(earlier.name_span, "so does this rule")]
    help = f"write `rule {first.name} overrides {second.name}`, or add a guard that tells them apart"
    return error("Q0403", text, later.name_span, "matches it", others=others, help=help)


def _overrides(rules: Ruleset, together: set[frozenset[str]]) -> Iterator[Diagnostic]:
    """Q0405: what a rule overrides is another rule that it overlaps, and not one that overrides it in turn."""
    known = {r.name: r for r in reversed(rules.program.rules)}
    sound = {i.name for i in rules.instances}
    folds = {f.name for f in rules.program.folds}
    circular: set[str] = set()
    for rule in rules.program.rules:
        for target in rule.overrides:
            name = target.id
            if name in rules.program.unread:
                continue
            if name == rule.name:
                yield error(
                    "Q0405",
                    f"{name} cannot override itself",
                    target.span,
                    help="delete `overrides`, or name another rule",
                )
            elif name not in known:
                text = (
                    f"{name} is a fold, and only rules are overridden" if name in folds else f"there is no rule {name}"
                )
                yield error("Q0405", text, target.span, help=meant(name, [n for n in known if n != rule.name]) or None)
            elif rule.name in rules.overridden.get(name, ()):
                ring = sorted(n for n in rules.overridden[name] if name in rules.overridden[n])
                if circular.isdisjoint(ring):
                    circular.update(ring)
                    text = f"{listed(ring)} override one another, so none comes first"
                    others = [(known[n].name_span, "is overridden by the others too") for n in ring if n != rule.name]
                    yield error("Q0405", text, target.span, others=others, help="delete one `overrides`")
            elif {rule.name, name} <= sound and frozenset((rule.name, name)) not in together:
                text = f"{rule.name} overrides {name}, and no operator is matched by both"
                others = [(known[name].name_span, "never in its way")]
                yield error("Q0405", text, target.span, others=others, help=f"delete {name} from `overrides`")


def _shadowed(rules: Ruleset, overlaps: Sequence[Overlap]) -> Iterator[Diagnostic]:
    """Q0404: a rule all of whose matches, under every operator, a rule that is tried before it takes."""
    taken = _Taken(rules)
    for overlap in overlaps:
        for first, second in ((overlap.a, overlap.b), (overlap.b, overlap.a)):
            overrides = second.name in rules.overridden.get(first.name, ())
            undecided = first is overlap.a and not rules.ordered(first.name, second.name)
            if id(second.item) in taken.reported or not (overrides or undecided) or not taken.all_of(second, first):
                continue
            others = [(first.item.name_span, "always comes first")]
            if undecided:
                taken.reported.add(id(second.item))
                text = f"as it stands the rule {second.name} can never fire: {first.name} matches all that it matches"
                help = f"write `rule {second.name} overrides {first.name}`, or delete one of them"
                yield warning("Q0404", text, second.item.name_span, others=others, help=help)
            elif not taken.all_of(first, second):
                taken.reported.add(id(second.item))
                text = (
                    f"the rule {second.name} can never fire: {first.name} overrides it and matches all that it matches"
                )
                help = (
                    f"write `rule {second.name} overrides {first.name}` instead, or give {first.name} a stronger guard"
                )
                yield error("Q0404", text, second.item.name_span, others=others, help=help)


class _Taken:
    """Which rules take all matches of which others."""

    def __init__(self, rules: Ruleset) -> None:
        self.schemes = rules.program.scheme_types
        self.reported: set[int] = set()
        self.of_item: dict[int, list[Instance]] = {}
        for instance in rules.instances:
            self.of_item.setdefault(id(instance.item), []).append(instance)

    def all_of(self, second: Instance, first: Instance) -> bool:
        """Whether `first` fires wherever `second` could, under each of its operators."""
        takers = self.of_item[id(first.item)]
        return all(any(subsumes(t, i, self.schemes) for t in takers) for i in self.of_item[id(second.item)])
