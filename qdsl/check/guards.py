"""What a `when` clause asks: impure calls (Q0205), unknown guards (Q0206), fields, and what the guard fails to say.

A mark with one scale per channel on an operand wants it constant (Q0309), since scales of computed values are per
tensor; a norm or a dropout in training mode is another function than the one that is quantized (Q0310).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qdsl.check.attributes import check_comparisons, check_fields
from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.context import Context
from qdsl.check.facts import Fact, implied
from qdsl.check.finding import error, listed, meant
from qdsl.check.invoked import check_builtin, check_def_call
from qdsl.check.literals import is_literal, value_of
from qdsl.check.matched import Matched, named
from qdsl.formats.format import SchemeType
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.ops import lookup, suggest


def check_guard(when: tree.Expr | None, context: Context) -> Iterator[Diagnostic]:
    """Every call, field and comparison of a guard."""
    if when is None:
        return
    for node in tree.walk(when):
        if isinstance(node, tree.Call):
            yield from _call(node, context)
        elif isinstance(node, tree.Along):
            yield error(
                "Q0205",
                "a guard asks and computes nothing, so no axis is laid out in it",
                node.span,
                help="ask spans(b, AXIS)",
            )
    yield from check_fields(when, context)
    yield from check_comparisons(when, context)


def _call(call: tree.Call, context: Context) -> Iterator[Diagnostic]:
    if call.func in GUARDS:
        yield from check_builtin(call, GUARDS[call.func], context)
    elif call.func in context.defs:
        definition = context.defs[call.func]
        yield from check_def_call(call, definition, context)
        impure = first_impure(definition, context.defs, (call.func,))
        if impure is not None:
            text = f"{call.func} computes with {impure.func}, and a guard asks and computes nothing"
            others = [(impure.func_span, "computed here")]
            yield error("Q0205", text, call.func_span, others=others, help=f"guards are {listed(GUARDS, 20)}")
    elif call.func in BUILDERS or context.is_each(call.func) or lookup(call.func) is not None:
        kind = "a builder of realize" if call.func in BUILDERS else "an operator"
        text = f"{call.func} is {kind}, and a guard asks and computes nothing"
        yield error("Q0205", text, call.func_span, help=f"guards are {listed(GUARDS, 20)}")
    elif call.func not in context.unread:
        known = [*GUARDS, *context.defs]
        help = meant(call.func, known)
        meaning = suggest(call.func)
        if meaning.origin is not None and not help.startswith("did you"):
            text = f"{call.func} is {meaning.origin}'s name of an operator, and a guard asks and computes nothing"
            yield error("Q0205", text, call.func_span, help=f"guards are {listed(GUARDS, 20)}")
        else:
            yield error("Q0206", f"there is no guard {call.func}", call.func_span, help=help)


def first_impure(definition: tree.Def, defs: Mapping[str, tree.Def], path: tuple[str, ...]) -> tree.Call | None:
    """The first call in a def's body, or in those it uses, that is no guard."""
    for node in tree.walk(definition.body):
        if not isinstance(node, tree.Call) or node.func in GUARDS or node.func in path:
            continue
        if node.func not in defs:
            return node
        found = first_impure(defs[node.func], defs, (*path, node.func))
        if found is not None:
            return found
    return None


def check_constant_marks(
    rule: tree.Rule, matched: Matched, schemes: Mapping[str, SchemeType], defs: Mapping[str, tree.Def]
) -> Iterator[Diagnostic]:
    """Q0309: a scheme with a scale per channel, other than an accumulator's, on an operand that may be computed."""
    facts = implied(rule.when, defs)
    for mark in rule.annotate:
        if isinstance(mark, tree.Like) or not isinstance(mark.spec, tree.SchemeSpec):
            continue
        scheme = schemes.get(mark.spec.scheme)
        if scheme is None or not scheme.per_channel or scheme.is_accumulator:
            continue
        for target in mark.targets:
            capture = matched.captures.get(target.id)
            if capture is None or capture.call is not None or Fact.call("constant", target) in facts:
                continue
            text = f"{target.id} is marked {scheme.name}, a format of weights, and may be computed at run time"
            term = f"constant({target.span.text})"
            help = f"add `and {term}` to the guard" if rule.when is not None else f"add `when {term}`"
            others = [(capture.span, "captures any value")]
            yield error("Q0309", text, target.span, "one scale per channel", others=others, help=help)


TRAINING = {"nn.batch_norm": ("training", False), "nn.dropout": ("rate", 0)}
"""Operators that behave differently in training, and the attribute value under which they do not."""


def check_training(item: tree.Rule | tree.Fold, matched: Matched, defs: Mapping[str, tree.Def]) -> Iterator[Diagnostic]:
    """Q0310: a norm or dropout of the match whose training mode neither the pattern nor the guard excludes.

    One that is nested in another call cannot be asked, but has several results and is refused for that (Q0105).
    """
    facts = implied(item.when, defs)
    for binding in matched.bindings:
        call = binding.value
        for operator in matched.operators(call.func) if isinstance(call, tree.Call) else ():
            if operator.name in TRAINING and isinstance(call, tree.Call):
                names = [t.id for t in named(binding.targets)]
                yield from _training(call, operator.name, names, facts, item)
                break


def _training(
    call: tree.Call, operator: str, names: list[str], facts: frozenset[Fact], item: tree.Rule | tree.Fold
) -> Iterator[Diagnostic]:
    attribute, harmless = TRAINING[operator]
    for keyword in call.keywords:
        if keyword.name == attribute and is_literal(keyword.value) and value_of(keyword.value) == harmless:
            return
    if any(Fact.field(name, attribute, "==", harmless) in facts for name in names):
        return
    name = names[0] if names else "y"
    term = f"not {name}.{attribute}" if harmless is False else f"{name}.{attribute} == {harmless}"
    text = f"{operator} in training mode is another function, and nothing excludes it here"
    help = f"add `and {term}` to the guard" if item.when is not None else f"add `when {term}`"
    yield error(
        "Q0310", text, call.func_span, f"{attribute} may be on" if harmless is False else "drops at random", help=help
    )
