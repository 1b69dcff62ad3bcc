"""The syntax tree of expressions; use them as `tree.Name`, `tree.Call`, from qdsl.lang.tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from qdsl.lang.source import Span


@dataclass(frozen=True)
class Node:
    """What every node of the tree has."""

    span: Span = field(compare=False, repr=False)
    """The characters that this node was read from."""


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


Expr: TypeAlias = Name | Number | String | DType | List | Field | Along | Call | Unary | Binary | Compare | Logic
