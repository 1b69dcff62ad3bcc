"""A match clause compiled: a small pattern tree per operator choice.

`match c = conv(x, w)  y, _, _ = nn.batch_norm(c, gamma, beta, mean, var)` becomes one tree rooted at batch_norm, in
which the name c stands for the convolution below it. TVM's DPL objects (`dataflow`) decide whether a root matches;
`bind` walks the same tree to say what each name stands for, because DPL answers with bound values where a rewrite needs
variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.lang.source import Span


@dataclass(frozen=True)
class Capture:
    """A name that stands for whatever value is there; the same name twice is the same value."""

    name: str
    span: Span


@dataclass(frozen=True)
class Literal:
    """A number: a one-element constant or a number operand of that value."""

    value: int | float | bool
    span: Span


@dataclass(frozen=True)
class Parts:
    """`[parts...]`: a list operand of any length, captured whole."""

    name: str
    span: Span


@dataclass(frozen=True)
class ListOf:
    """`[a, b]`: a list operand of this length."""

    elements: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True)
class Operator:
    """A call of one operator."""

    op: str
    operands: tuple[Pattern, ...]
    attributes: tuple[tuple[str, Any, Span], ...]
    commutative: bool
    results: tuple[tree.Target, ...]
    """The names of its results; empty for a nested call."""
    span: Span


@dataclass(frozen=True)
class Item:
    """One result of a call with several, by position."""

    call: Operator
    index: int
    span: Span


Pattern = Capture | Literal | Parts | ListOf | Operator | Item


@dataclass(frozen=True)
class Compiled:
    """A rule, fold or skip for one choice of its `for` operator."""

    item: tree.Rule | tree.Fold | tree.Skip
    op: str | None
    """What the `for` variable stands for."""
    root: Operator
    constants: frozenset[str]
    """Captures that a guard term demands to be constant."""
    rank: int
    """Place in the order in which rules are tried at a root: lower first."""

    @property
    def name(self) -> str:
        return self.item.name if not isinstance(self.item, tree.Skip) else "skip"

    @property
    def size(self) -> int:
        """How many operators the pattern holds."""
        return sum(isinstance(p, Operator) for p in walk(self.root))


def compile_bindings(bindings: tuple[tree.Binding, ...], variable: str | None, op: str | None, where: Span) -> Operator:
    """The pattern tree of a match clause. Raises RuleError where it has no single root (the checker's Q0204)."""
    made: dict[str, Pattern] = {}
    used: set[str] = set()
    roots: dict[tuple[str, ...], Operator] = {}

    def operator_name(name: str) -> str:
        return op if name == variable and op is not None else name

    def compile_expr(expr: tree.Expr | tree.Spread, results: tuple[tree.Target, ...] = ()) -> Pattern:
        if isinstance(expr, tree.Name):
            used.add(expr.id)
            return made.get(expr.id, Capture(expr.id, expr.span))
        if isinstance(expr, tree.Number):
            return Literal(expr.value, expr.span)
        if isinstance(expr, tree.Unary) and expr.op == "-" and isinstance(expr.operand, tree.Number):
            return Literal(-expr.operand.value, expr.span)
        if isinstance(expr, tree.List):
            if len(expr.elements) == 1 and isinstance(expr.elements[0], tree.Spread):
                return Parts(expr.elements[0].id, expr.span)
            return ListOf(tuple(compile_expr(e) for e in expr.elements), expr.span)
        if isinstance(expr, tree.Call):
            operands = tuple(compile_expr(a) for a in expr.positional)
            attrs = tuple((k.name, literal(k.value), k.span) for k in expr.keywords)
            return Operator(operator_name(expr.func), operands, attrs, expr.commutative, results, expr.span)
        raise RuleError(f"{expr.span}: this cannot stand in a match: {expr.span.text}")

    for binding in bindings:
        pattern = compile_expr(binding.value, binding.targets)
        if not isinstance(pattern, Operator):
            raise RuleError(f"{binding.span}: a match binds the results of operators: {binding.span.text}")
        names = tuple(t.id for t in binding.targets if not isinstance(t, tree.IgnoredTarget))
        roots[names] = pattern
        single = len(binding.targets) == 1
        for index, target in enumerate(binding.targets):
            if isinstance(target, tree.NameTarget):
                made[target.id] = pattern if single else Item(pattern, index, target.span)
    free = [p for names, p in roots.items() if not used.intersection(names)]
    if len(free) != 1:
        raise RuleError(f"{where}: a match is one connected graph with one root; this one has {len(free)}")
    return free[0]


def literal(expr: tree.Expr | tree.Spread) -> Any:
    """The Python value of a literal attribute in a match. Raises RuleError for anything that is no literal."""
    if isinstance(expr, tree.Number | tree.String):
        return expr.value
    if isinstance(expr, tree.DType):
        return expr.name
    if isinstance(expr, tree.Unary) and expr.op == "-":
        return -literal(expr.operand)
    if isinstance(expr, tree.List):
        return [literal(e) for e in expr.elements]
    raise RuleError(f"{expr.span}: an attribute in a match has to be a literal; compare it in `when` instead")


def walk(pattern: Pattern) -> Iterator[Pattern]:
    """All patterns of a tree, the root first; a call bound to a name and read twice comes twice but once by
    identity."""
    seen: set[int] = set()
    stack: list[Pattern] = [pattern]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, Operator):
            stack.extend(reversed(current.operands))
        elif isinstance(current, ListOf):
            stack.extend(reversed(current.elements))
        elif isinstance(current, Item):
            stack.append(current.call)
