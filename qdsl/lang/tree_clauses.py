"""The syntax tree of bindings and marks; use them as `tree.Binding`, `tree.Like`, from qdsl.lang.tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from qdsl.lang.source import Span
from qdsl.lang.tree_expressions import Expr, Keyword, Node


@dataclass(frozen=True)
class NameTarget(Node):
    id: str


@dataclass(frozen=True)
class SpreadTarget(Node):
    id: str


@dataclass(frozen=True)
class IgnoredTarget(Node):
    """`_`: a result that must be unused for the rule to match."""


Target: TypeAlias = NameTarget | SpreadTarget | IgnoredTarget


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


Spec: TypeAlias = SchemeSpec | AnySpec | FloatSpec | FixedSpec


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


Mark: TypeAlias = MarkAs | Share | Like
