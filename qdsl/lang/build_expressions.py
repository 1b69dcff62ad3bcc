"""The builder's half for expressions: operators to left-leaning trees, calls, literals."""

from __future__ import annotations

import math

from qdsl.lang import tree
from qdsl.lang.pieces import Piece, Refusal
from qdsl.lang.source import Source, Span

LARGEST = 2**63 - 1
"""Whole numbers beyond this fit no dtype that an operand or attribute can have."""


class Expressions:
    """A method for every rule below `expr`; see Builder."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def span(self, piece: Piece) -> Span:
        """The characters of a piece."""
        return Span(self.source, piece.start, piece.end)

    # ---- operators

    def expr(self, parts: list[Piece], span: Span) -> tree.Logic:
        return tree.Logic(span, "or", tuple(p.value for p in parts[::2]))

    def conjunction(self, parts: list[Piece], span: Span) -> tree.Logic:
        return tree.Logic(span, "and", tuple(p.value for p in parts[::2]))

    def negation(self, parts: list[Piece], span: Span) -> tree.Unary:
        return tree.Unary(span, "not", parts[1].value)

    def comparison(self, parts: list[Piece], span: Span) -> tree.Compare:
        left, op, right = parts
        return tree.Compare(span, op.value, left.value, right.value)

    def sum(self, parts: list[Piece], span: Span) -> tree.Expr:
        """a - b + c is (a - b) + c; each part of the chain spans from its first operand on."""
        left: tree.Expr = parts[0].value
        for op, right in zip(parts[1::2], parts[2::2], strict=True):
            left = tree.Binary(Span(self.source, span.start, right.end), op.value, left, right.value)
        return left

    product = sum

    def unary(self, parts: list[Piece], span: Span) -> tree.Expr:
        """A sign directly before a number belongs to the number; `-(1)` stays an operation."""
        value = parts[1].value
        bare = isinstance(value, tree.Number) and parts[1].start == value.span.start
        if bare and not isinstance(value.value, bool) and math.copysign(1, value.value) > 0:
            return tree.Number(span, -value.value)
        return tree.Unary(span, "-", value)

    # ---- what follows a value

    def field(self, parts: list[Piece], span: Span) -> tree.Field:
        return tree.Field(span, parts[0].value, parts[2].value)

    def along(self, parts: list[Piece], span: Span) -> tree.Along:
        return tree.Along(span, parts[0].value, parts[2].value)

    def call(self, parts: list[Piece], span: Span) -> tree.Call:
        args = parts[2].value if parts[2].kind == "args" else ()
        return tree.Call(span, self._function(parts[0]), self.span(parts[0]), args)

    def commutative(self, parts: list[Piece], span: Span) -> tree.Call:
        args = (parts[2].value, parts[4].value)
        return tree.Call(span, self._function(parts[0]), self.span(parts[0]), args, commutative=True)

    def _function(self, piece: Piece) -> str:
        """The dotted name of what is called."""
        names: list[str] = []
        node = piece.value
        while isinstance(node, tree.Field):
            names.append(node.name)
            node = node.base
        if not isinstance(node, tree.Name) or piece.start != node.span.start:
            raise Refusal(self.span(piece), "only an operator, guard, builder or def can be called", label="not a name")
        return ".".join([node.id, *reversed(names)])

    # ---- arguments

    def args(self, parts: list[Piece], span: Span) -> tuple[tree.Node, ...]:
        return tuple(p.value for p in parts if p.kind != "COMMA")

    def keyword(self, parts: list[Piece], span: Span) -> tree.Keyword:
        return tree.Keyword(span, parts[0].value, parts[2].value)

    def attributes_of(self, parts: list[Piece], span: Span) -> tree.AttributesOf:
        return tree.AttributesOf(span, parts[1].value)

    def spread(self, parts: list[Piece], span: Span) -> tree.Spread:
        return tree.Spread(span, parts[0].value)

    # ---- atoms

    def ref(self, parts: list[Piece], span: Span) -> tree.Name:
        return tree.Name(span, parts[0].value)

    def group(self, parts: list[Piece], span: Span) -> tree.Expr:
        inner: tree.Expr = parts[1].value
        return inner

    def sequence(self, parts: list[Piece], span: Span) -> tree.List:
        return tree.List(span, tuple(p.value for p in parts[1:-1] if p.kind != "COMMA"))

    def string(self, parts: list[Piece], span: Span) -> tree.String:
        return tree.String(span, parts[0].value[1:-1])

    def dtype(self, parts: list[Piece], span: Span) -> tree.DType:
        return tree.DType(span, parts[0].value)

    def boolean(self, parts: list[Piece], span: Span) -> tree.Number:
        return tree.Number(span, parts[0].value in ("true", "True"))

    def number(self, parts: list[Piece], span: Span) -> tree.Number:
        if parts[0].kind == "INT":
            return tree.Number(span, self.whole(parts[0]))
        value = float(parts[0].value)
        if math.isinf(value):
            raise Refusal(span, "the number is too large", help="a float is at most about 1.8e308")
        return tree.Number(span, value)

    def whole(self, piece: Piece) -> int:
        """The value of an INT token."""
        # Python itself refuses to convert thousands of digits, with an error of its own.
        digits = piece.value.lstrip("0") or "0"
        if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
            raise Refusal(self.span(piece), "the number is too large", help="whole numbers have at most 64 bits")
        return int(digits)
