"""What typing an expression needs to know and what it leaves behind: one rule under one choice of its operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from qdsl.check.types.boundary import Boundary
from qdsl.check.types.findings import Findings
from qdsl.check.types.marks import Marks
from qdsl.check.types.values import UNKNOWN, Number, Quantity, Real, Several, Type
from qdsl.lang import tree
from qdsl.lang.source import Span


@dataclass
class Scope:
    """The names in sight of a realize clause."""

    rule: tree.Rule
    boundary: Boundary
    marks: Marks
    findings: Findings
    choice: Mapping[str, str]
    """What the name after `for` stands for; empty where the rule has none."""
    defs: Mapping[str, tree.Def]
    locals: dict[str, Type] = field(default_factory=dict)
    values: dict[str, tree.Expr] = field(default_factory=dict)
    """What locals were bound to, for scale expressions."""
    result: Type = UNKNOWN
    """The type of the result that the binding at hand serves: what builders such as requantize yield."""
    types: dict[Span, Type] = field(default_factory=dict)
    """The type of every expression typed so far."""
    calling: tuple[str, ...] = ()
    """The defs whose bodies are being typed."""

    def type_of_name(self, name: str) -> Type:
        """The type of a name in an expression."""
        if name in self.locals:
            return self.locals[name]
        if name in self.boundary.numbers:
            return Number()
        if name in self.boundary.made and name not in self.boundary.results:
            return UNKNOWN
        if name in self.boundary.integers and not self.marks.is_marked(name):
            return UNKNOWN
        return self.marks.type_of(name)

    def bind(self, name: str, value: Type, expr: tree.Expr) -> None:
        """Bind a local of the clause."""
        self.locals[name] = value
        self.values[name] = expr


@dataclass(frozen=True)
class Operand:
    """An argument with its type."""

    expr: tree.Node
    type: Type


@dataclass(frozen=True)
class Invocation:
    """An operator or builder applied: what typing rules get."""

    name: str
    """The operator, signs and the name after `for` resolved."""
    node: tree.Expr
    operands: Mapping[int, Operand]
    """Arguments by their position, keywords that name an operand included."""
    keywords: Mapping[str, tree.Expr] = field(default_factory=dict)
    inherits: str | None = None
    """The call whose attributes are taken over with `**y`."""

    def data(self, positions: tuple[int, ...]) -> list[Operand]:
        """The operands at some positions, as far as given, with lists taken apart."""
        found = [self.operands[i] for i in positions if i in self.operands]
        return [part for operand in found for part in self.data_of(operand)]

    @staticmethod
    def data_of(operand: Operand) -> list[Operand]:
        """An operand, or the parts of a list."""
        if not isinstance(operand.expr, tree.List) or not isinstance(operand.type, Several):
            return [operand]
        return [Operand(e, t) for e, t in zip(operand.expr.elements, operand.type.items, strict=True)]


def quantities(operands: Sequence[Operand]) -> list[tuple[Operand, Quantity]]:
    """The operands that are integers on a scale."""
    return [(o, o.type) for o in operands if isinstance(o.type, Quantity)]


def is_plain(value: Type) -> bool:
    """Whether a value is a real number or a number: what float arithmetic takes."""
    return isinstance(value, Real | Number)
