"""Rules of float networks that only say who took what: each reads in 8 bits and keeps its operator."""

from __future__ import annotations

from functools import cache

from qdsl.config import QConfig
from qdsl.lang.program import load_text
from qdsl.match.graph import Graph
from qdsl.passes.plan import Plan
from qdsl.ruleset import RuleSet
from qdsl.session import stages

SCHEMES = """
scheme act    = uint8 asymmetric per_tensor
scheme weight = int8  symmetric  per_channel narrow
scheme acc    = int32 symmetric  per_channel
scheme wide   = int32 symmetric  per_tensor 24 bits
"""


def taking(name: str, match: str, when: str = "", overrides: str = "") -> str:
    """A rule that reads x and gives y, in 8 bits."""
    guard = f"\n    when {when}" if when else ""
    over = f" overrides {overrides}" if overrides else ""
    return f"rule {name}{over}\n    match {match}{guard}\n    annotate x as act\n             y as act\n"


@cache
def rules_of(*items: str) -> RuleSet:
    """Rules as text, without the stock rules."""
    program = load_text(SCHEMES + "\n".join(items))
    assert not program.diagnostics, [d.message for d in program.diagnostics]
    return RuleSet(program, program)


def plan_of(graph_module: object, *items: str, **options: object) -> Plan:
    return stages.annotate(graph_module, rules_of(*items), QConfig(**options)).plan  # type: ignore[arg-type]


def owners(plan: Plan) -> dict[str, str | None]:
    """Each operator with the rule that took it, in the order in which it was decided."""
    return {d.var: d.rule for d in plan.decisions}


def readers(graph: Graph, name: str) -> int:
    return len(graph.reads(next(v for v in graph.order if str(v.name) == name)))
