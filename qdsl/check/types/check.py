"""Checking the types of a program: every rule under every operator of its `for`."""

from __future__ import annotations

from qdsl.check.types.axes import check_along, check_mark_axes
from qdsl.check.types.boundary import boundary_of
from qdsl.check.types.findings import Findings, merge
from qdsl.check.types.infer import infer
from qdsl.check.types.marks import Marks
from qdsl.check.types.matches import check_boundary, tuple_names
from qdsl.check.types.positive import check_positive
from qdsl.check.types.powers import check_powers
from qdsl.check.types.results import check_result
from qdsl.check.types.schemes import check_scheme
from qdsl.check.types.scope import Scope
from qdsl.check.types.values import UNKNOWN, Many, Meta, Number, Several, Type, Unknown
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program
from qdsl.lang.source import Span
from qdsl.ops import lookup


def check_types(program: Program) -> list[Diagnostic]:
    """Findings Q0301 to Q0308, Q0311 and Q0312 of a program, in the order of its items."""
    found = []
    for scheme in program.schemes.values():
        findings = Findings()
        check_scheme(scheme, findings)
        found += findings.items
    for fold in program.folds:
        found += merge([(op, _check_fold(fold, op)) for op in _choices(fold)], _variable(fold))
    for rule in program.rules:
        found += merge([(op, type_rule(rule, op, program).findings.items) for op in _choices(rule)], _variable(rule))
    return found


def infer_types(rule: tree.Rule, program: Program) -> dict[Span, str]:
    """What the checker knows of every expression of a rule's realize clause: its span -> `int32 @ x.scale * w.scale`.

    Of a rule for several operators, under the first of them.
    """
    if not _choices(rule):
        return {}
    scope = type_rule(rule, _choices(rule)[0], program)
    known = {span: t for span, t in scope.types.items() if not isinstance(t, Unknown | Meta | Number)}
    return {span: scope.findings.describe(t) for span, t in known.items()}


def _variable(item: tree.Rule | tree.Fold) -> str | None:
    return item.each.variable if item.each else None


def _choices(item: tree.Rule | tree.Fold) -> list[str | None]:
    """The operators that an item stands for; those that nobody knows are somebody else's finding."""
    if item.each is None:
        return [None]
    return [name for name, _ in item.each.operators if lookup(name) is not None]


def _check_fold(fold: tree.Fold, operator: str | None) -> list[Diagnostic]:
    findings = Findings()
    check_along(fold, boundary_of(fold, operator), _choice(fold, operator), fold.rewrite, findings)
    return findings.items


def _choice(item: tree.Rule | tree.Fold, operator: str | None) -> dict[str, str]:
    return {item.each.variable: operator} if item.each and operator else {}


def type_rule(rule: tree.Rule, operator: str | None, program: Program) -> Scope:
    """A rule typed under one operator of its `for` (None without one): its names, types and findings."""
    boundary = boundary_of(rule, operator)
    findings = Findings((*boundary.operands, *boundary.results))
    marks = Marks(rule, boundary, dict(program.scheme_types), findings)
    scope = Scope(rule, boundary, marks, findings, _choice(rule, operator), program.defs)
    marks.forget(tuple_names(boundary))
    check_boundary(rule, boundary, marks, findings)
    marks.resolve_all()
    check_mark_axes(rule, boundary, marks.schemes, findings)
    check_positive(rule, boundary, marks, findings)
    check_powers(marks, findings)
    check_along(rule, boundary, _choice(rule, operator), rule.realize or (), findings)
    for binding in rule.realize or ():
        _check_binding(scope, binding)
    return scope


def _check_binding(scope: Scope, binding: tree.Binding) -> None:
    named = [t.id for t in binding.targets if not isinstance(t, tree.IgnoredTarget)]
    defined = [n for n in named if n in scope.boundary.results] or list(scope.boundary.results)
    scope.result = scope.marks.type_of(defined[0]) if defined else UNKNOWN
    value = infer(scope, binding.value)
    for target, part in zip(binding.targets, _parts(binding, value), strict=True):
        if isinstance(target, tree.IgnoredTarget):
            continue
        if target.id in scope.boundary.results:
            check_result(scope, target.id, binding.value, part)
        spread = isinstance(target, tree.SpreadTarget) and not isinstance(part, Many | Unknown)
        scope.bind(target.id, Many(part) if spread else part, binding.value)


def _parts(binding: tree.Binding, value: Type) -> tuple[Type, ...]:
    """The types of a binding's targets: of several results each its own, of a split all the same."""
    count = len(binding.targets)
    if count == 1:
        return (value,)
    if isinstance(value, Several):
        return value.items if len(value.items) == count else (UNKNOWN,) * count
    return (value,) * count
