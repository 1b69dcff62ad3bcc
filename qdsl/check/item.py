"""All that is said of one item by itself: its names, calls, attributes, guard and shape."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.attributes import check_fields
from qdsl.check.calls import check_calls, check_each
from qdsl.check.context import Context
from qdsl.check.guards import check_constant_marks, check_guard, check_training
from qdsl.check.letters import check_letters
from qdsl.check.matched import Matched, named
from qdsl.check.names import check_def, check_item, check_test
from qdsl.check.program import check_schemes
from qdsl.check.results import check_nested, check_results
from qdsl.check.structure import check_begins, check_defines, check_interior, check_match
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program


def check_pattern(matched: Matched, program: Program) -> Iterator[Diagnostic]:
    """The match of a rule, fold or skip: what makes it unfit for comparison with others."""
    item = matched.item
    if not isinstance(item, tree.Skip):
        yield from check_each(item.each)
    context = Context("match", program.defs, matched, program.unread)
    for binding in matched.bindings:
        yield from check_calls(binding.value, context)
        if not isinstance(item, tree.Skip):
            yield from check_results(binding, context)
        elif isinstance(binding.value, tree.Call):
            for argument in binding.value.args:
                yield from check_nested(argument, context)
    yield from check_match(matched)


def check_clauses(matched: Matched, program: Program) -> Iterator[Diagnostic]:
    """The names of an item and its clauses behind the match."""
    item = matched.item
    yield from check_item(item)
    yield from check_guard(item.when, Context("when", program.defs, matched, program.unread))
    yield from check_letters(matched)
    if isinstance(item, tree.Rule):
        yield from _rule(item, matched, program)
    elif isinstance(item, tree.Fold):
        yield from _bindings(item.rewrite, Context("rewrite", program.defs, matched, program.unread))
    if not isinstance(item, tree.Skip):
        yield from check_training(item, matched, program.defs)
        yield from check_interior(item, matched, program.defs)
        yield from check_defines(item, matched)


def _rule(rule: tree.Rule, matched: Matched, program: Program) -> Iterator[Diagnostic]:
    context = Context("scale", program.defs, matched, program.unread)
    for mark in rule.annotate:
        for expr in _scales(mark):
            yield from check_calls(expr, context)
            yield from check_fields(expr, context)
    yield from check_schemes(program, rule)
    yield from check_constant_marks(rule, matched, program.scheme_types, program.defs)
    yield from _bindings(rule.realize or (), Context("realize", program.defs, matched, program.unread))
    types = program.scheme_types
    accumulators = frozenset(n for n, t in types.items() if t.is_accumulator)
    yield from check_begins(rule, matched, accumulators, frozenset(types), program.defs)


def _scales(mark: tree.Mark) -> tuple[tree.Expr, ...]:
    """The expressions in a mark."""
    if isinstance(mark, tree.Like):
        return () if mark.scale is None else (mark.scale,)
    if isinstance(mark.spec, tree.SchemeSpec):
        return () if mark.spec.scale is None else (mark.spec.scale,)
    return tuple(a.value for a in mark.spec.args) if isinstance(mark.spec, tree.FixedSpec) else ()


def _bindings(bindings: tuple[tree.Binding, ...], context: Context) -> Iterator[Diagnostic]:
    for binding in bindings:
        yield from check_calls(binding.value, context)
        yield from check_fields(binding.value, context)
        yield from check_results(binding, context)


def check_definition(item: tree.Def, program: Program) -> Iterator[Diagnostic]:
    """A def: its parameters, and the calls in its body."""
    yield from check_def(item)
    yield from check_calls(item.body, Context("def", program.defs, unread=program.unread))


def check_given(item: tree.Test, program: Program, matched: Matched | None) -> Iterator[Diagnostic]:
    """A test: the graph it gives and what it expects; `matched` is its rule's match, where the rule is known."""
    calls = {
        t.id: g.value
        for g in item.given
        if isinstance(g, tree.Binding) and isinstance(g.value, tree.Call)
        for t in named(g.targets)
    }
    context = Context("given", program.defs, unread=program.unread, calls=calls)
    yield from check_test(item, None if matched is None else matched.captures)
    for given in item.given:
        if isinstance(given, tree.Binding):
            yield from check_calls(given.value, context)
            yield from check_results(given, context)
    yield from check_schemes(program, item)
