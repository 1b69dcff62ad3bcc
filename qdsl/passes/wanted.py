"""`wanted`: will some reader read this value in an integer format? One backward pass before the sweep.

A value is wanted where a rule that could fire at a reader

- marks it with a format, and begins integers by itself (asks neither `quantized` nor `wanted` in its guard), or
- passes it on (`like`, or such a guard) and its own result is wanted.

"Could fire" means that the terms of the guard that ask nothing about formats hold. A model output wants nothing.
"""

from __future__ import annotations

from tvm import relax

from qdsl.lang import tree
from qdsl.match.found import Match, vars_of
from qdsl.match.graph import Graph
from qdsl.passes.claims import Found, Possible


def wanted_values(graph: Graph, found: Found, could_fire: Possible) -> set[relax.Var]:
    """All values that are wanted."""
    wanted: set[relax.Var] = set()
    values = [b.var for b in graph.bindings]
    for value in [*reversed(values), *graph.function.params]:
        if any(_wants(match, value, wanted) and could_fire(match) for match in found.reading.get(value, ())):
            wanted.add(value)
    return wanted


def _wants(match: Match, value: relax.Var, wanted: set[relax.Var]) -> bool:
    rule = match.compiled.item
    assert isinstance(rule, tree.Rule)
    results = [v for name in match.results for v in match.values(name)]
    passes_on = any(r in wanted for r in results)
    for name in match.boundary:
        if value not in vars_of(match.values(name)):
            continue
        how = reading_of(rule, name)
        if how == "float" or how is None:
            continue
        if passes_on or (how == "format" and begins_integers(rule)):
            return True
    return False


def begins_integers(rule: tree.Rule) -> bool:
    """Whether a rule asks neither `quantized` nor `wanted`: it reads integers whatever stands around it."""
    return not any(
        isinstance(node, tree.Call) and node.func in ("quantized", "wanted")
        for term in tree.conjuncts(rule.when)
        for node in tree.walk(term)
    )


def reading_of(rule: tree.Rule, name: str) -> str | None:
    """How a rule reads an operand: "format", "float", "like" (as it stands), or None where it is not marked."""
    answer: str | None = None
    for mark in rule.annotate:
        if isinstance(mark, tree.Like):
            if mark.source == name and answer is None:
                answer = "like"
        elif any(t.id == name for t in mark.targets):
            answer = "float" if isinstance(mark.spec, tree.FloatSpec) else "format"
    return answer
