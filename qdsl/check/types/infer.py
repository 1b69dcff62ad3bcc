"""Typing an expression: names, fields, signs and calls, down to the typing rules of operators and builders."""

from __future__ import annotations

from dataclasses import replace

from qdsl.check.types.builders import BUILDER_SLOTS, BUILDERS
from qdsl.check.types.findings import Findings
from qdsl.check.types.operators import apply_operator
from qdsl.check.types.scope import Invocation, Operand, Scope
from qdsl.check.types.values import REAL, UNKNOWN, Code, Many, Meta, Number, Quantity, Real, Several, Truth, Type
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label
from qdsl.ops import COMPARISONS, NEGATION, SUGAR, lookup

COUNTED = frozenset({"count", "size", "rank"})
"""Functions whose value is a number that only the model knows."""


def infer(scope: Scope, expr: tree.Node) -> Type:
    """The type of an expression; findings go to the scope."""
    value = _infer(scope, expr)
    scope.types[expr.span] = value
    return value


def _infer(scope: Scope, expr: tree.Node) -> Type:
    if isinstance(expr, tree.Name):
        return Meta() if expr.id in scope.choice else scope.type_of_name(expr.id)
    if isinstance(expr, tree.Spread):
        value = scope.type_of_name(expr.id)
        return value if isinstance(value, Many) else Many(value)
    if isinstance(expr, tree.Number):
        return Number(float(expr.value))
    if isinstance(expr, tree.Field):
        return _field(scope, expr)
    if isinstance(expr, tree.Along):
        return infer(scope, expr.base)
    if isinstance(expr, tree.List):
        return Several(tuple(infer(scope, e) for e in expr.elements))
    if isinstance(expr, tree.Unary) and expr.op == "-":
        return _apply(scope, NEGATION, expr, (expr.operand,))
    if isinstance(expr, tree.Binary):
        return _apply(scope, SUGAR[expr.op], expr, (expr.left, expr.right))
    if isinstance(expr, tree.Compare):
        return _apply(scope, COMPARISONS[expr.op], expr, (expr.left, expr.right))
    if isinstance(expr, tree.Logic | tree.Unary):
        for operand in expr.operands if isinstance(expr, tree.Logic) else (expr.operand,):
            infer(scope, operand)
        return Truth()
    return _call(scope, expr) if isinstance(expr, tree.Call) else Meta()


def _field(scope: Scope, expr: tree.Field) -> Type:
    if not isinstance(expr.base, tree.Name) or expr.base.id in scope.locals:
        return UNKNOWN
    if expr.name not in ("scale", "zero"):
        return Number()
    value = scope.type_of_name(expr.base.id)
    element = value.element if isinstance(value, Many) else value
    if isinstance(element, Real):
        scope.marks.scale_of(expr)
        return UNKNOWN
    if not isinstance(element, Quantity):
        return UNKNOWN
    return REAL if expr.name == "scale" else Code(element)


def _call(scope: Scope, call: tree.Call) -> Type:
    name = scope.choice.get(call.func, call.func)
    if name in scope.defs:
        return _def(scope, call, scope.defs[name])
    if name in BUILDERS:
        return BUILDERS[name](scope, _invocation(scope, name, call, call.args))
    if name in COUNTED:
        return Number()
    operator = lookup(name)
    if operator is None:
        for argument in call.positional:
            infer(scope, argument)
        return UNKNOWN
    return apply_operator(scope, _invocation(scope, name, call, call.args))


def _apply(scope: Scope, name: str, node: tree.Expr, operands: tuple[tree.Expr, ...]) -> Type:
    return apply_operator(scope, _invocation(scope, name, node, operands))


def _invocation(scope: Scope, name: str, node: tree.Expr, args: tuple[tree.Node, ...]) -> Invocation:
    operator = lookup(name)
    slots = [o.name for o in operator.operands] if operator else list(BUILDER_SLOTS.get(name, ()))
    count = sum(not isinstance(a, tree.AttributesOf | tree.Keyword) for a in args)
    places = (operator.places(count) if operator else None) or slots
    operands: dict[int, tree.Node] = {}
    keywords: dict[str, tree.Expr] = {}
    inherits, position = None, 0
    for argument in args:
        if isinstance(argument, tree.AttributesOf):
            inherits = argument.id
        elif not isinstance(argument, tree.Keyword):
            place = places[position] if position < len(places) else None
            operands[slots.index(place) if place in slots else position] = argument
            position += 1
        elif argument.name in slots:
            operands[slots.index(argument.name)] = argument.value
        else:
            keywords[argument.name] = argument.value
            infer(scope, argument.value)
    typed = {i: Operand(e, one_tensor(infer(scope, e))) for i, e in sorted(operands.items())}
    return Invocation(name, node, typed, keywords, inherits)


def one_tensor(value: Type) -> Type:
    """The type of an operand: several results at once are none, which is Q0105 at their binding."""
    return UNKNOWN if isinstance(value, Several) and value.operator is not None else value


def _def(scope: Scope, call: tree.Call, definition: tree.Def) -> Type:
    """A def's body under its arguments; what is wrong in it is wrong at the call."""
    arguments = [infer(scope, a) for a in call.positional]
    if definition.name in scope.calling or len(arguments) != len(definition.parameters):
        return UNKNOWN
    inner = replace(
        scope,
        findings=Findings(scope.findings.order),
        locals={p.id: a for p, a in zip(definition.parameters, arguments, strict=True)},
        values={},
        types={},
        calling=(*scope.calling, definition.name),
    )
    value = infer(inner, definition.body)
    for found in inner.findings.items:
        label = Label(found.primary.span, found.primary.message or found.message)
        scope.findings.add(
            found.code,
            f"{found.message}, in {definition.name}",
            call.span,
            others=(label, *found.secondary),
            help=found.help,
            severity=found.severity,
        )
    return value
