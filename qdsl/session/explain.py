"""explain: for an operator of a model, which rules were tried, how far each got, and what it saw. Needs no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qdsl.config import QConfig
from qdsl.errors import ModelError
from qdsl.lang.nearest import nearest
from qdsl.load import load_model
from qdsl.passes.fold import FoldTrace
from qdsl.passes.plan import Attempt, Decision
from qdsl.ruleset import RuleSet, chosen
from qdsl.session import rows, stages


@dataclass(frozen=True)
class Part:
    """One Relax operator that an operator of the model became, and what was decided about it."""

    var: str
    op: str
    outcome: str
    rule: str | None
    reason: str
    result: str | None
    """The format of its result, scales as symbols."""
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Explanation:
    """What became of one operator of the model, and why."""

    name: str
    op: str
    outcome: str
    reason: str
    parts: tuple[Part, ...]
    folds: tuple[str, ...] = ()
    """Fold rules that took it up."""


def explain(
    model: Any,
    node: str | None = None,
    *,
    config: QConfig | None = None,
    rules: RuleSet | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[Explanation, ...]:
    """Explanations of one operator by its name, or of all of them.

    Raises ModelError for a model that cannot be read, or a name that no operator has.
    """
    used, options = chosen(rules), config or QConfig()
    loaded = load_model(model, shapes=shapes, params=params)
    trace = FoldTrace()
    folded = stages.fold(loaded.module, used, options, trace)
    decided = stages.annotate(folded, used, options, {o.name: o.op for o in loaded.operators})
    table = rows.make_rows(loaded.operators, trace, decided.plan.decisions, {}, {})
    wanted = [r for r in table if node is None or r.name == node]
    if not wanted:
        near = nearest(node or "", (r.name for r in table))
        raise ModelError(f"the model has no operator {node!r}" + (f"; did you mean {near!r}?" if near else ""))
    by_origin: dict[str, list[Decision]] = {}
    for decision in decided.plan.decisions:
        by_origin.setdefault(decision.origin or decision.var, []).append(decision)
    return tuple(
        Explanation(
            row.name,
            row.op,
            row.outcome,
            row.reason or "",
            tuple(_part(d) for d in by_origin.get(row.name, ())),
            tuple(dict.fromkeys(f.fold for f in trace.applied if row.name in (*f.absorbed, *f.kept))),
        )
        for row in wanted
    )


def _part(decision: Decision) -> Part:
    result = None if decision.result is None else str(decision.result)
    return Part(decision.var, decision.op, decision.outcome, decision.rule, decision.reason, result, decision.attempts)


def explain_text(explanation: Explanation) -> str:
    """An explanation as plain text."""
    lines = [f"{explanation.name} ({explanation.op}): {explanation.outcome}"]
    if explanation.reason:
        lines.append(f"  {explanation.reason}")
    lines += [f"  fold {name} took it up" for name in explanation.folds]
    for part in explanation.parts:
        made = f" -> {part.result}" if part.result else ""
        lines.append(f"  {part.op} %{part.var}: {part.outcome}{f' by {part.rule}' if part.rule else ''}{made}")
        for attempt in part.attempts:
            place = attempt.place or attempt.span
            mark = "fired" if attempt.fired else f"refused: {attempt.reason}"
            lines.append(f"    {attempt.rule:<32} {mark}")
            if not attempt.fired:
                lines.append(f"      --> {place}")
                lines.append(f"       |  {place.source.line(place.line).strip()}")
    return "\n".join(lines)
