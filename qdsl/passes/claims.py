"""All matches of a rule set in a graph, and who claims whose operators.

A match of several operators claims its interior: operators inside wait until its root is reached. Of several claims
on an operator the largest goes first, of two as large the one whose root comes first. A match that cannot fire
whatever the formats turn out to be claims nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tvm import relax

from qdsl.lang import tree
from qdsl.match import guards
from qdsl.match.book import Book
from qdsl.match.facts import FloatFacts
from qdsl.match.found import Match
from qdsl.match.graph import Graph, operator_name
from qdsl.match.pattern import Compiled

Possible = Callable[[Match], bool]
"""Whether the terms of a match's guard hold that ask nothing about formats."""


@dataclass
class Found:
    """Matches by root, and for each value the matches that read it from outside."""

    at: dict[relax.Var, list[tuple[Compiled, list[Match]]]] = field(default_factory=dict)
    reading: dict[relax.Var, list[Match]] = field(default_factory=dict)

    def of(self, root: relax.Var, compiled: Compiled) -> list[Match]:
        """The ways in which a pattern matches at a root."""
        return next((matches for c, matches in self.at.get(root, ()) if c is compiled), [])


def find_matches(graph: Graph, book: Book, allowed: Callable[[relax.Var], bool]) -> Found:
    """Matches every pattern at every root whose operators are all `allowed`; cost linear in the operators."""
    found = Found()
    for binding in graph.bindings:
        root = binding.var
        if operator_name(binding.value) is None or not allowed(root):
            continue
        for compiled in book.at(graph, root):
            matches = [
                m for m in book.matches(graph, compiled, root) if all(allowed(v) for v in operators_in(graph, m))
            ]
            if not matches:
                continue
            found.at.setdefault(root, []).append((compiled, matches))
            for match in matches:
                for name in match.boundary:
                    for value in match.values(name):
                        if isinstance(value, relax.Var):
                            found.reading.setdefault(value, []).append(match)
    return found


def possible(graph: Graph, defs: Mapping[str, tree.Def]) -> Possible:
    """Answers once a match; matches are kept alive by whoever found them."""
    answers: dict[int, bool] = {}

    def could_fire(match: Match) -> bool:
        if id(match) not in answers:
            captures = frozenset(match.captures)
            static = guards.check(
                match.compiled.item.when, match, FloatFacts(graph), defs, only=lambda t: guards.is_static(t, captures)
            )
            answers[id(match)] = static.holds
        return answers[id(match)]

    return could_fire


@dataclass(eq=False)
class Claim:
    """One pattern at one root, and the operators that its matches would take."""

    root: relax.Var
    compiled: Compiled
    operators: frozenset[relax.Var]
    open: bool = True
    """Whether its operators still wait for it."""


class Claims:
    """Who waits for whom."""

    def __init__(self, graph: Graph, found: Found, could_fire: Possible) -> None:
        self.rooted: dict[relax.Var, list[Claim]] = {}
        self.waiting: dict[relax.Var, list[Claim]] = {}
        for root, entries in found.at.items():
            for compiled, matches in entries:
                sealed = [m for m in matches if outside_reader(graph, m) is None and could_fire(m)]
                operators = frozenset(v for m in sealed for v in operators_in(graph, m))
                if operators:
                    claim = Claim(root, compiled, operators)
                    self.rooted.setdefault(root, []).append(claim)
                    for var in operators:
                        self.waiting.setdefault(var, []).append(claim)

    def at(self, root: relax.Var, compiled: Compiled) -> Claim | None:
        """The claim of a pattern at a root."""
        return next((c for c in self.rooted.get(root, ()) if c.compiled is compiled), None)

    def waits(self, var: relax.Var) -> bool:
        """Whether an operator is inside a match that may still fire."""
        return any(c.open for c in self.waiting.get(var, ()))

    def largest(self, var: relax.Var) -> int:
        """The size of the largest claim that an operator waits for."""
        return max((c.compiled.size for c in self.waiting.get(var, ()) if c.open), default=0)

    def competing(self, inside: Iterable[relax.Var]) -> Iterator[Claim]:
        """Claims that have some of these operators inside, or as their root."""
        for var in inside:
            yield from self.waiting.get(var, ())
            yield from self.rooted.get(var, ())


def operators_in(graph: Graph, match: Match) -> list[relax.Var]:
    """The operators inside a match other than its root."""
    return [v for v in match.interior if operator_name(graph.value_of[v]) is not None and v != match.root]


def outside_reader(graph: Graph, match: Match) -> relax.Var | None:
    """An interior value that something outside the match reads, or None: such a match cannot replace it."""
    results = {v for name in match.results for v in match.values(name)}
    inside = {match.root, *match.interior}
    for var in match.interior:
        if var not in results and any(r.var not in inside for r in graph.reads(var)):
            return var
    return None
