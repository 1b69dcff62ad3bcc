"""The syntax tree of a rule file: frozen dataclasses, a span on every node.

Spans take no part in equality: two trees are equal when they say the same thing, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from qdsl.lang.source import Span


@dataclass(frozen=True)
class Node:
    """What every node of the tree has."""

    span: Span = field(compare=False, repr=False)
    """The characters that this node was read from."""


# ---- expressions


@dataclass(frozen=True)
class Name(Node):
    """A capture, a local of a clause, a def's parameter, or an operator without a dot."""

    id: str


@dataclass(frozen=True)
class Number(Node):
    """A numeric literal (also `true` and `false`, with a bool value)."""

    value: int | float | bool


@dataclass(frozen=True)
class String(Node):
    value: str


@dataclass(frozen=True)
class DType(Node):
    """A dtype literal such as int32."""

    name: str


@dataclass(frozen=True)
class Spread(Node):
    """`name...`: a list of operands or results."""

    id: str


@dataclass(frozen=True)
class List(Node):
    """`[a, b]` or `[parts...]`."""

    elements: tuple[Expr | Spread, ...]


@dataclass(frozen=True)
class Field(Node):
    """`x.scale`, `y.training`, `b.shape`."""

    base: Expr
    name: str


@dataclass(frozen=True)
class Along(Node):
    """`gain[O]`: a vector laid along a layout letter of the value it is combined with."""

    base: Expr
    axis: str


@dataclass(frozen=True)
class Keyword(Node):
    """`name=value` in an argument list."""

    name: str
    value: Expr


@dataclass(frozen=True)
class AttributesOf(Node):
    """`**c`: all attributes of the call that made c; later keywords override."""

    id: str


@dataclass(frozen=True)
class Call(Node):
    """`f(args)`, or `op{a, b}` (either order) when `commutative`."""

    func: str
    """The dotted name as written: nn.conv2d, constant, requantize."""
    func_span: Span = field(compare=False, repr=False)
    args: tuple[Expr | Spread | Keyword | AttributesOf, ...]
    commutative: bool = False

    @property
    def positional(self) -> tuple[Expr | Spread, ...]:
        return tuple(a for a in self.args if not isinstance(a, Keyword | AttributesOf))

    @property
    def keywords(self) -> tuple[Keyword, ...]:
        return tuple(a for a in self.args if isinstance(a, Keyword))


@dataclass(frozen=True)
class Unary(Node):
    """`-x` or `not x`."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Node):
    """`+ - * /`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Node):
    """`<= >= == != < >`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Logic(Node):
    """`and` / `or` of two or more operands, in the order written."""

    op: str
    operands: tuple[Expr, ...]


Expr = Name | Number | String | DType | List | Field | Along | Call | Unary | Binary | Compare | Logic


# ---- bindings


@dataclass(frozen=True)
class NameTarget(Node):
    id: str


@dataclass(frozen=True)
class SpreadTarget(Node):
    id: str


@dataclass(frozen=True)
class IgnoredTarget(Node):
    """`_`: a result that must be unused for the rule to match."""


Target = NameTarget | SpreadTarget | IgnoredTarget


@dataclass(frozen=True)
class Binding(Node):
    """`y, _, _ = expr`."""

    targets: tuple[Target, ...]
    value: Expr


# ---- marks


@dataclass(frozen=True)
class SchemeSpec(Node):
    """`act`, `weight[O]`, `acc[C] = x.scale * w.scale`."""

    scheme: str
    scheme_span: Span = field(compare=False, repr=False)
    axis: str | None = None
    axis_span: Span | None = field(default=None, compare=False, repr=False)
    scale: Expr | None = None


@dataclass(frozen=True)
class AnySpec(Node):
    pass


@dataclass(frozen=True)
class FloatSpec(Node):
    pass


@dataclass(frozen=True)
class FixedSpec(Node):
    """`fixed(scale=..., zero=...)`; may also name dtype=."""

    args: tuple[Keyword, ...]


Spec = SchemeSpec | AnySpec | FloatSpec | FixedSpec


@dataclass(frozen=True)
class MarkAs(Node):
    """`a, b as act`."""

    targets: tuple[NameTarget | SpreadTarget, ...]
    spec: Spec


@dataclass(frozen=True)
class Share(Node):
    """`share a, parts... as act`: one scale for all."""

    targets: tuple[NameTarget | SpreadTarget, ...]
    spec: Spec


@dataclass(frozen=True)
class Like(Node):
    """`y like x`, `y like x = x.scale * c`."""

    targets: tuple[NameTarget | SpreadTarget, ...]
    source: str
    source_span: Span = field(compare=False, repr=False)
    scale: Expr | None = None


Mark = MarkAs | Share | Like


# ---- items


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
    """asymmetric | symmetric, per_tensor | per_channel, narrow, each with its span, as written."""
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


Outcome = Fires | Skips | ExpectMark | ErrorBound


@dataclass(frozen=True)
class Test(Node):
    """`test RULE "title" given ... expect ...`."""

    __test__ = False  # not a test class for pytest

    rule: str
    rule_span: Span = field(compare=False, repr=False)
    title: str
    given: tuple[Input | Binding, ...]
    expect: tuple[Outcome, ...]


Item = Use | Scheme | Def | Fold | Rule | Skip | Test


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
