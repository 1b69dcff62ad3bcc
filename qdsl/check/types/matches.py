"""Q0301 and Q0302: every tensor at the boundary of a match carries a mark, and no tuple does."""

from __future__ import annotations

from qdsl.check.types.boundary import Boundary, as_call
from qdsl.check.types.findings import Findings, text_of
from qdsl.check.types.marks import Marks
from qdsl.check.types.signatures import RESULT_NAMES
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label
from qdsl.lang.source import Span
from qdsl.ops import Operator, result_count


def check_boundary(rule: tree.Rule, boundary: Boundary, marks: Marks, findings: Findings) -> None:
    """Report tuples that are marked, and tensors that are not."""
    tuples = tuple_names(boundary)
    for name, (binding, operator) in tuples.items():
        for span in _mark_spans(rule, name):
            _tuple(findings, name, binding, operator, span)
    for name in boundary.operands:
        if name not in boundary.integers and not marks.is_marked(name):
            node = boundary.places[name][0].node
            help = f"say how it is read: {text_of(node)} as <scheme>, or as float"
            _unmarked(findings, name, node, "comes from outside the match", help)
    for name, target in boundary.results.items():
        if name not in boundary.integers | boundary.unsure and name not in tuples and not marks.is_marked(name):
            instead = ", or write _ for it where nothing reads it" if len(boundary.results) > 1 else ""
            help = f"say how it is made: {text_of(target)} as <scheme>, or as float{instead}"
            _unmarked(findings, name, target, "is a result", help)


def _unmarked(findings: Findings, name: str, node: tree.Node, why: str, help: str) -> None:
    findings.add("Q0301", f"{name} carries no mark", node.span, f"{name} {why}", help=help)


def tuple_names(boundary: Boundary) -> dict[str, tuple[tree.Binding, Operator]]:
    """Names that stand for all results of an operator at once."""
    found = {}
    for name, binding in boundary.made.items():
        places = [p for p in boundary.places.get(name, ()) if p.position == "result"]
        if len(binding.targets) != 1 or not isinstance(binding.targets[0], tree.NameTarget) or not places:
            continue
        if result_count(places[0].operator, places[0].attrs) != 1:
            found[name] = (binding, places[0].operator)
    return found


def results_label(operator: Operator) -> str:
    """`3 results: tensor, mean, variance`."""
    if operator.results is None:
        return "as many results as it splits into"
    names = RESULT_NAMES.get(operator.name)
    return f"{operator.results} results" + (f": {', '.join(names)}" if names else "")


def _mark_spans(rule: tree.Rule, name: str) -> list[Span]:
    """Where marks speak of a name."""
    targets = [t.span for mark in rule.annotate for t in mark.targets if t.id == name]
    sources = [m.source_span for m in rule.annotate if isinstance(m, tree.Like) and m.source == name]
    return targets + sources


def _tuple(findings: Findings, name: str, binding: tree.Binding, operator: Operator, span: Span) -> None:
    call = as_call(binding.value)
    count = operator.results
    targets = f"{name}..." if count is None else ", ".join(["y", *["_"] * (count - 1)])
    findings.add(
        "Q0302",
        f"{operator.name} returns a tuple, and only a tensor can be quantized",
        span,
        "marked here",
        others=[Label(call.func_span, results_label(operator))] if call else [],
        help=f"name the {'tensors' if count is None else 'tensor you want'}: {targets} = {text_of(binding.value)}",
    )
