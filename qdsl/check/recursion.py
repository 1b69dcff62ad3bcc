"""Folds whose result matches their own pattern again, folds that undo one another, defs that use themselves (Q0406)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qdsl.check.again import matches_made
from qdsl.check.finding import error
from qdsl.check.instances import Instance, calls_in
from qdsl.check.overlap import reachable
from qdsl.check.rewritten import rewritten
from qdsl.check.terms import Applied
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program


@dataclass(frozen=True)
class Step:
    """One fold's result that another fold, or itself, matches."""

    of: Instance
    by: Instance
    at: Applied
    """The call at which the match is rooted."""


def check_folds(found: Sequence[Instance]) -> Iterator[Diagnostic]:
    """Every fold that follows itself, and every cycle of several, once."""
    by_root: dict[str, list[Instance]] = {}
    for instance in found:
        by_root.setdefault(instance.root.operator.name, []).append(instance)
    steps: dict[str, dict[str, Step]] = {}
    for instance in found:
        for step in _steps(instance, by_root):
            steps.setdefault(instance.name, {}).setdefault(step.by.name, step)
    for name, following in steps.items():
        if name in following:
            yield _again(following[name])
    edges = {a: [b for b in following if b != a] for a, following in steps.items()}
    spans = {i.name: i.item.name_span for i in reversed(found)}
    reported: set[str] = set()
    for name in edges:
        path = None if name in reported else shortest_cycle(name, edges)
        if path is not None:
            reported.update(path)
            others = [(spans[n], "by way of this fold") for n in path[1:]]
            text = f"folds undo one another: {' -> '.join([*path, name])}"
            help = "delete one of them, or guard it so that it does not match what the others make"
            yield error("Q0406", text, spans[name], "its result leads back to it", others=others, help=help)


def _steps(instance: Instance, by_root: Mapping[str, Sequence[Instance]]) -> Iterator[Step]:
    """The folds that match what a fold makes, rooted at a call that it makes."""
    made = rewritten(instance)
    if made is None:
        return
    old = {id(c) for c in calls_in(instance.root)}
    for call in calls_in(made):
        if id(call) in old:
            continue
        for other in by_root.get(call.operator.name, ()):
            if matches_made(instance, other, call):
                yield Step(instance, other, call)


def _again(step: Step) -> Diagnostic:
    item = step.of.item
    clause = item.rewrite if isinstance(item, tree.Fold) else ()
    defining = [b for b in clause if any(getattr(t, "id", None) in step.of.results for t in b.targets)]
    at = defining[-1].value.span if defining else item.name_span
    text = f"the result of the fold {item.name} matches its own pattern again: {item.name} -> {item.name}"
    others = [(step.of.binding.value.span, "matches what the rewrite makes")]
    help = "add a guard that is false of the result, or rewrite to another form"
    return error("Q0406", text, at, f"makes {step.at.operator.name} again", others=others, help=help)


def shortest_cycle(start: str, edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The shortest way from a name back to it, without the last step; None where there is none."""
    paths = [[start]]
    seen = {start}
    while paths:
        path = paths.pop(0)
        for name in edges.get(path[-1], ()):
            if name == start:
                return path
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return None


def check_defs(program: Program) -> Iterator[Diagnostic]:
    """Defs are written out where they are used, so none may use itself."""
    edges = {
        name: [n.func for n in tree.walk(d.body) if isinstance(n, tree.Call) and n.func in program.defs]
        for name, d in program.defs.items()
    }
    reported: set[str] = set()
    for name, definition in program.defs.items():
        path = shortest_cycle(name, edges) if name in reachable(name, edges) and name not in reported else None
        if path is None:
            continue
        reported.update(path)
        text = f"the def {name} uses itself: {' -> '.join([*path, name])}"
        others = [(program.defs[n].name_span, "by way of this def") for n in path[1:]]
        help = "a def is written out where it is used, so it cannot be recursive"
        yield error("Q0406", text, definition.name_span, others=others, help=help)
