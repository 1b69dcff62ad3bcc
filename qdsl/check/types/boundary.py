"""What a rule's match says of its names: operands, results, interior values, and where each of them stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qdsl.check.types.signatures import INTEGER_OPERANDS, INTEGER_RESULT_AT, INTEGER_RESULTS
from qdsl.lang import tree
from qdsl.ops import SUGAR, Operator, lookup


@dataclass(frozen=True)
class Place:
    """Where in the match a name stands: an operator, and an operand position or "result"."""

    operator: Operator
    position: int | str
    attrs: Mapping[str, object]
    node: tree.Node
    """The name, as written there."""
    call: tree.Call


@dataclass(frozen=True)
class Boundary:
    """The names of a match under one choice of the rule's operator."""

    root: tree.Binding | None
    """The binding that nothing else in the match reads."""
    made: Mapping[str, tree.Binding]
    """Names that the match computes."""
    results: Mapping[str, tree.NameTarget | tree.SpreadTarget]
    """Names of the root's results."""
    places: Mapping[str, tuple[Place, ...]]
    """Where names stand as tensors, results included."""
    operands: tuple[str, ...]
    """Names of tensors that come from outside, in the order of the match."""
    numbers: frozenset[str] = frozenset()
    """Names of operands that are numbers or shapes."""
    integers: frozenset[str] = frozenset()
    """Operands and results that are never float32."""
    unsure: frozenset[str] = frozenset()
    """Names that stand in calls of operators nobody knows."""


@dataclass
class _Walk:
    choice: Mapping[str, str]
    made: Mapping[str, tree.Binding]
    pinned: Mapping[str, Mapping[str, object]]
    places: dict[str, list[Place]] = field(default_factory=dict)
    operands: dict[str, None] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    floats: set[str] = field(default_factory=set)
    integers: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)

    def binding(self, binding: tree.Binding) -> None:
        call = as_call(binding.value)
        if call is None:
            return
        named = [t for t in binding.targets if not isinstance(t, tree.IgnoredTarget)]
        pinned = {k: v for t in named for k, v in self.pinned.get(t.id, {}).items()}
        operator = self.call(call, pinned)
        if operator is None:
            self.unsure.update(t.id for t in named)
            return
        for index, target in enumerate(binding.targets):
            if isinstance(target, tree.IgnoredTarget):
                continue
            place = Place(operator, "result", literal_attributes(call) | pinned, target, call)
            self.places.setdefault(target.id, []).append(place)
            if operator.name in INTEGER_RESULTS or index in INTEGER_RESULT_AT.get(operator.name, ()):
                self.integers.add(target.id)

    def call(self, call: tree.Call, pinned: Mapping[str, object]) -> Operator | None:
        operator = lookup(self.choice.get(call.func, call.func))
        attrs = literal_attributes(call) | dict(pinned)
        names = [o.name for o in operator.operands] if operator else []
        places = (operator.places(len(call.positional)) if operator else None) or ()
        for index, argument in enumerate(call.positional):
            place = places[index] if index < len(places) else None
            self.argument(argument, operator, names.index(place) if place in names else len(names), attrs, call)
        return operator

    def argument(
        self, argument: tree.Node, operator: Operator | None, index: int, attrs: dict[str, object], call: tree.Call
    ) -> None:
        if isinstance(argument, tree.List):
            for element in argument.elements:
                self.argument(element, operator, index, attrs, call)
        elif (inner := as_call(argument)) is not None:
            self.call(inner, {})
        elif isinstance(argument, tree.Name | tree.Spread):
            self.name(argument, operator, index, attrs, call)

    def name(
        self,
        name: tree.Name | tree.Spread,
        operator: Operator | None,
        index: int,
        attrs: dict[str, object],
        call: tree.Call,
    ) -> None:
        if operator is None or index >= len(operator.operands):
            self.unsure.add(name.id)
            return
        if not operator.operands[index].is_tensor:
            self.numbers.add(name.id)
            return
        self.places.setdefault(name.id, []).append(Place(operator, index, attrs, name, call))
        if name.id in self.made:
            return
        self.operands.setdefault(name.id)
        never_float = index in INTEGER_OPERANDS.get(operator.name, ())
        (self.integers if never_float else self.floats).add(name.id)


def boundary_of(rule: tree.Rule | tree.Fold, operator: str | None = None) -> Boundary:
    """Reads the match of a rule or fold; `operator` is what the name after `for` stands for."""
    made = {t.id: b for b in rule.match for t in b.targets if not isinstance(t, tree.IgnoredTarget)}
    choice = {rule.each.variable: operator} if rule.each and operator else {}
    walk = _Walk(choice, made, pinned_attributes(rule.when))
    for binding in rule.match:
        walk.binding(binding)
    root = _root(rule.match)
    results = {t.id: t for t in root.targets if not isinstance(t, tree.IgnoredTarget)} if root else {}
    return Boundary(
        root,
        made,
        results,
        {name: tuple(found) for name, found in walk.places.items()},
        tuple(walk.operands),
        frozenset(walk.numbers),
        frozenset(walk.integers - walk.floats),
        frozenset(walk.unsure),
    )


def _root(match: tuple[tree.Binding, ...]) -> tree.Binding | None:
    read = {n.id for b in match for n in tree.walk(b.value) if isinstance(n, tree.Name | tree.Spread)}
    roots = [b for b in match if not any(t.id in read for t in b.targets if not isinstance(t, tree.IgnoredTarget))]
    return roots[-1] if roots else (match[-1] if match else None)


def as_call(expr: tree.Node) -> tree.Call | None:
    """A call, or what a sign between two values stands for; None for anything else."""
    if isinstance(expr, tree.Binary) and expr.op in SUGAR:
        return tree.Call(expr.span, SUGAR[expr.op], expr.span, (expr.left, expr.right))
    return expr if isinstance(expr, tree.Call) else None


def literal_attributes(call: tree.Call) -> dict[str, object]:
    """The attributes of a call that are written as literals."""
    found = {k.name: literal(k.value) for k in call.keywords}
    return {name: value for name, value in found.items() if value is not None}


def literal(expr: tree.Node) -> object:
    """A literal's value (lists as tuples), or None for anything else."""
    if isinstance(expr, tree.Number | tree.String):
        return expr.value
    if isinstance(expr, tree.DType):
        return expr.name
    if isinstance(expr, tree.Unary) and expr.op == "-" and isinstance(expr.operand, tree.Number):
        return -expr.operand.value
    if isinstance(expr, tree.List):
        values = tuple(literal(e) for e in expr.elements)
        return None if None in values else values
    return None


def pinned_attributes(when: tree.Expr | None) -> dict[str, dict[str, object]]:
    """Attributes that a guard's terms hold to one literal, by the name of the result: `y.layout == "NHWC"`."""
    pinned: dict[str, dict[str, object]] = {}
    for term in tree.conjuncts(when):
        if not isinstance(term, tree.Compare) or term.op != "==":
            continue
        for read, value in ((term.left, term.right), (term.right, term.left)):
            if isinstance(read, tree.Field) and isinstance(read.base, tree.Name) and literal(value) is not None:
                pinned.setdefault(read.base.id, {})[read.name] = literal(value)
    return pinned


def pinned_rank(when: tree.Expr | None, name: str) -> int | None:
    """The rank that a guard's term `rank(name) == n` gives a value, or None."""
    for term in tree.conjuncts(when):
        if not isinstance(term, tree.Compare) or term.op != "==":
            continue
        for read, value in ((term.left, term.right), (term.right, term.left)):
            of_name = isinstance(read, tree.Call) and read.func == "rank" and len(read.args) == 1
            if of_name and isinstance(read.args[0], tree.Name) and read.args[0].id == name:  # type: ignore[union-attr]
                number = literal(value)
                return number if isinstance(number, int) else None
    return None
