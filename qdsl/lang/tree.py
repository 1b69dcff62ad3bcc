"""The syntax tree of a rule file: frozen dataclasses, a span on every node.

Spans take no part in equality: two trees are equal when they say the same thing, wherever it stands. Items are here;
the nodes of expressions and clauses are in modules of their own, and all are named from this one: `tree.Call`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from qdsl.lang.source import Span
from qdsl.lang.tree_clauses import (
    AnySpec,
    Binding,
    FixedSpec,
    FloatSpec,
    IgnoredTarget,
    Like,
    Mark,
    MarkAs,
    NameTarget,
    SchemeSpec,
    Share,
    Spec,
    SpreadTarget,
    Target,
)
from qdsl.lang.tree_expressions import (
    Along,
    AttributesOf,
    Binary,
    Call,
    Compare,
    DType,
    Expr,
    Field,
    Keyword,
    List,
    Logic,
    Name,
    Node,
    Number,
    Spread,
    String,
    Unary,
)

__all__ = [
    "Along", "AnySpec", "AttributesOf", "Binary", "Binding", "Call", "Compare", "DType", "Def", "Each",
    "ErrorBound", "ExpectMark", "Expr", "Field", "File", "Fires", "FixedSpec", "FloatSpec", "Fold",
    "IgnoredTarget", "Input", "Item", "Keyword", "Like", "List", "Logic", "Mark", "MarkAs", "Name", "NameTarget",
    "Node", "Number", "Outcome", "Rule", "Scheme", "SchemeSpec", "Share", "Skip", "Skips", "Spec", "Spread",
    "SpreadTarget", "String", "Target", "Test", "Unary", "Use", "children", "conjuncts", "walk",
]  # fmt: skip


@dataclass(frozen=True)
class Use(Node):
    path: str


@dataclass(frozen=True)
class Scheme(Node):
    """`scheme act = uint8 asymmetric per_tensor`."""

    name: str
    name_span: Span = field(compare=False, repr=False)
    dtype: str
    flags: tuple[tuple[str, Span], ...] = field(compare=False)
    """asymmetric | symmetric, per_tensor | per_channel, narrow, pow2, each with its span, as written."""
    bits: int | None = None

    @property
    def flag_names(self) -> tuple[str, ...]:
        """The flags without their spans."""
        return tuple(flag for flag, _ in self.flags)

    def _meaning(self) -> tuple[object, ...]:
        return self.name, self.dtype, self.flag_names, self.bits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scheme) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash(self._meaning())


@dataclass(frozen=True)
class Def(Node):
    name: str
    name_span: Span = field(compare=False, repr=False)
    parameters: tuple[NameTarget, ...]
    body: Expr


@dataclass(frozen=True)
class Each(Node):
    """`for conv in nn.conv2d, nn.conv2d_transpose`."""

    variable: str
    operators: tuple[tuple[str, Span], ...]

    @property
    def operator_names(self) -> tuple[str, ...]:
        """The operators without their spans."""
        return tuple(operator for operator, _ in self.operators)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Each) and (self.variable, self.operator_names) == (
            other.variable,
            other.operator_names,
        )

    def __hash__(self) -> int:
        return hash((self.variable, self.operator_names))


@dataclass(frozen=True)
class Fold(Node):
    name: str
    name_span: Span = field(compare=False, repr=False)
    each: Each | None
    doc: str | None
    match: tuple[Binding, ...]
    when: Expr | None
    rewrite: tuple[Binding, ...]


@dataclass(frozen=True)
class Rule(Node):
    name: str
    name_span: Span = field(compare=False, repr=False)
    each: Each | None
    overrides: tuple[NameTarget, ...]
    doc: str | None
    match: tuple[Binding, ...]
    when: Expr | None
    annotate: tuple[Mark, ...]
    realize: tuple[Binding, ...] | None
    """None where the clause is absent."""


@dataclass(frozen=True)
class Skip(Node):
    """`skip PATTERN when ... because "..."` or `skip at "name pattern" because "..."`."""

    pattern: Expr | None
    when: Expr | None
    at: str | None
    because: str


@dataclass(frozen=True)
class Input(Node):
    """`w: const float32[4, 8, 3, 3]` in a test's `given`."""

    name: str
    const: bool
    dtype: str
    dims: tuple[int, ...]


@dataclass(frozen=True)
class Fires(Node):
    pass


@dataclass(frozen=True)
class Skips(Node):
    term: str


@dataclass(frozen=True)
class ExpectMark(Node):
    name: str
    spec: Spec


@dataclass(frozen=True)
class ErrorBound(Node):
    op: str
    steps: float


Outcome: TypeAlias = Fires | Skips | ExpectMark | ErrorBound


@dataclass(frozen=True)
class Test(Node):
    """`test RULE "title" given ... expect ...`."""

    __test__ = False  # not a test class for pytest

    rule: str
    rule_span: Span = field(compare=False, repr=False)
    title: str
    given: tuple[Input | Binding, ...]
    expect: tuple[Outcome, ...]


Item: TypeAlias = Use | Scheme | Def | Fold | Rule | Skip | Test


@dataclass(frozen=True)
class File(Node):
    items: tuple[Item, ...]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below `node`, in the order of its fields."""
    for f in fields(node):
        value = getattr(node, f.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, Node))


def walk(node: Node) -> Iterator[Node]:
    """`node` and all nodes below it, parents first; iterative, so depth costs no stack."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))


def conjuncts(expr: Expr | None) -> tuple[Expr, ...]:
    """The terms of a guard: the operands of its outermost `and`, else the guard itself."""
    if expr is None:
        return ()
    if isinstance(expr, Logic) and expr.op == "and":
        return tuple(t for operand in expr.operands for t in conjuncts(operand))
    return (expr,)
