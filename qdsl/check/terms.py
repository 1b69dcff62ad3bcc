"""Matches and rewrites as terms, for comparing one with another.

A term is a small graph: variables for what comes from outside, operators with all their operands (those left out are
variables of their own), items of operators with several results, numbers, lists, and constants that a rewrite computes.
Terms of different items share no variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qdsl.check.literals import is_literal, value_of
from qdsl.check.matched import named
from qdsl.check.rename import substitute
from qdsl.lang import tree
from qdsl.ops import COMMUTATIVE, COMPARISONS, NEGATION, SUGAR, Operator, lookup


@dataclass(frozen=True)
class Variable:
    """Anything."""

    key: str
    """Unique among all terms that are compared."""
    name: str
    """As written; empty for an operand that was left out."""


@dataclass(frozen=True, eq=False)
class Applied:
    """An operator; equal to itself only, since two calls with the same operands may differ in attributes."""

    operator: Operator
    operands: tuple[Term, ...]
    attributes: Mapping[str, object]
    """Those written as literals."""
    either_order: bool = False
    source: str | None = None
    """In a rewrite, the name of the matched call whose attributes this call takes over."""
    name: str = ""
    """What the match or rewrite calls its result."""


@dataclass(frozen=True)
class Item:
    """One of several results; index None is all of them."""

    call: Applied
    index: int | None


@dataclass(frozen=True)
class Literal:
    """A number, or a list of numbers."""

    value: object


@dataclass(frozen=True)
class Sequence:
    """A list operand; a `Variable` in `rest` stands for any number of elements."""

    elements: tuple[Term, ...]
    rest: Variable | None = None


@dataclass(frozen=True)
class Computed:
    """A constant that a rewrite computes from constants."""

    text: str


Term = Variable | Applied | Item | Literal | Sequence | Computed


@dataclass
class Builder:
    """Reads expressions of one item under one choice of its `for` operator."""

    prefix: str
    """Makes variables unique."""
    choice: Mapping[str, str]
    """The operator that the name after `for` stands for."""
    defs: Mapping[str, tree.Def] = field(default_factory=dict)
    """Helpers, which are written out."""
    names: dict[str, Term] = field(default_factory=dict)
    is_pattern: bool = True
    """In a pattern `op{a, b}` is either order; in a rewrite it is one."""
    fresh: int = 0
    expanding: tuple[str, ...] = ()

    def bind(self, binding: tree.Binding) -> Term:
        """A binding's value; its targets then stand for it, or for its items."""
        value = self.read(binding.value, named(binding.targets)[0].id if named(binding.targets) else "")
        for index, target in enumerate(binding.targets):
            if isinstance(target, tree.SpreadTarget) and isinstance(value, Applied):
                self.names[target.id] = Item(value, None)
            elif isinstance(target, tree.NameTarget):
                several = len(binding.targets) > 1 and isinstance(value, Applied)
                self.names[target.id] = Item(value, index) if several and isinstance(value, Applied) else value
        return value

    def read(self, expr: tree.Node, name: str = "") -> Term:
        """An expression as a term; what no operator makes (fields, guards) is a variable of its own."""
        if isinstance(expr, tree.Name | tree.Spread):
            if expr.id not in self.names:
                self.names[expr.id] = Variable(f"{self.prefix}.{expr.id}", expr.id)
            return self.names[expr.id]
        if is_literal(expr) and not isinstance(expr, tree.String | tree.DType):
            return Literal(value_of(expr))
        if isinstance(expr, tree.List):
            return self._list(expr)
        if isinstance(expr, tree.Along):
            return self.read(expr.base)
        if isinstance(expr, tree.Binary):
            return self._apply(SUGAR[expr.op], (expr.left, expr.right), (), False, name)
        if isinstance(expr, tree.Compare):
            return self._apply(COMPARISONS[expr.op], (expr.left, expr.right), (), False, name)
        if isinstance(expr, tree.Unary) and expr.op == "-":
            return self._apply(NEGATION, (expr.operand,), (), False, name)
        if isinstance(expr, tree.Call) and expr.func in self.defs:
            return self._expand(expr)
        if isinstance(expr, tree.Call):
            return self._apply(
                self.choice.get(expr.func, expr.func), expr.positional, expr.args, expr.commutative, name
            )
        return self._unknown()

    def _unknown(self) -> Variable:
        self.fresh += 1
        return Variable(f"{self.prefix}#{self.fresh}", "")

    def _expand(self, call: tree.Call) -> Term:
        definition = self.defs[call.func]
        if call.func in self.expanding or len(definition.parameters) != len(call.args):
            return self._unknown()
        outer = self.expanding
        self.expanding = (*outer, call.func)
        values = {p.id: a for p, a in zip(definition.parameters, call.args, strict=True)}
        body = self.read(substitute(definition.body, values))
        self.expanding = outer
        return body

    def _list(self, expr: tree.List) -> Term:
        spread = [e for e in expr.elements if isinstance(e, tree.Spread)]
        if spread:
            rest = Variable(f"{self.prefix}.{spread[0].id}...", spread[0].id)
            return Sequence((), rest)
        return Sequence(tuple(self.read(e) for e in expr.elements))

    def _apply(
        self, func: str, positional: tuple[tree.Node, ...], args: tuple[tree.Node, ...], either: bool, name: str
    ) -> Term:
        operator = lookup(func)
        places = operator.places(len(positional)) if operator is not None else None
        if operator is None or places is None:
            return self._unknown()
        operand_names = {o.name for o in operator.operands}
        given: dict[str, Term] = {}
        attributes: dict[str, object] = {}
        source = None
        for place, argument in zip(places, positional, strict=True):
            if place in operand_names:
                given[place] = self.read(argument)
            else:
                attributes[place] = value_of(argument) if is_literal(argument) else None
        for argument in args:
            if isinstance(argument, tree.AttributesOf):
                source = argument.id
            elif isinstance(argument, tree.Keyword) and argument.name in operand_names:
                given[argument.name] = self.read(argument.value)
            elif isinstance(argument, tree.Keyword):
                attributes[argument.name] = value_of(argument.value) if is_literal(argument.value) else None
        operands = tuple(given.get(o.name) or self._unknown() for o in operator.operands)
        either_order = self.is_pattern and either and operator.name in COMMUTATIVE
        return Applied(operator, operands, attributes, either_order, source, name)


def show(term: Term) -> str:
    """A term as a pattern reads."""
    if isinstance(term, Variable):
        return term.name or "_"
    if isinstance(term, Literal):
        return str(list(term.value)) if isinstance(term.value, tuple) else str(term.value)
    if isinstance(term, Item):
        return show(term.call)
    if isinstance(term, Computed):
        return term.text
    if isinstance(term, Sequence):
        rest = [f"{term.rest.name}..."] if term.rest else []
        return f"[{', '.join([*map(show, term.elements), *rest])}]"
    shown = [show(o) for o, d in zip(term.operands, term.operator.operands, strict=True) if d.is_tensor]
    return f"{term.operator.name}({', '.join(shown)})"
