"""All matches of a rule set in a graph, and who claims whose operators.

A match of several operators claims its interior: operators inside wait until its root is reached. Of several claims
on an operator the largest goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tvm import relax

from qdsl.lang import tree
from qdsl.match.book import Book
from qdsl.match.found import Match
from qdsl.match.graph import Graph, operator_name
from qdsl.match.pattern import Compiled


@dataclass
class Found:
    """Matches by root, and for each operator the roots that wait for it."""

    at: dict[relax.Var, list[tuple[Compiled, list[Match]]]] = field(default_factory=dict)
    claimed_by: dict[relax.Var, list[Match]] = field(default_factory=dict)
    reading: dict[relax.Var, list[Match]] = field(default_factory=dict)
    """For each value the matches that read it from outside."""


def find_matches(
    graph: Graph, book: Book, allowed: Callable[[relax.Var], bool], defs: Mapping[str, tree.Def] | None = None
) -> Found:
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
            sealed = [m for m in matches if outside_reader(graph, m) is None]
            for var in {v for m in sealed for v in operators_in(graph, m)}:
                found.claimed_by.setdefault(var, []).append(sealed[0])
    return found


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
