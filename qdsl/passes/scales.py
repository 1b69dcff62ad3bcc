"""The scale expressions of marks, over one match: as monomials, and the axis that they bring along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse
from qdsl.match.fields import call_field
from qdsl.match.found import Match
from qdsl.match.graph import number_of, shape_of


class Refused(Exception):
    """A mark that does not fit the values of a match."""

    def __init__(self, reason: str, place: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place
        self.mark: tree.Mark | None = None
        """The mark, once it is known."""


@dataclass(frozen=True)
class Scales:
    """Evaluates scale expressions."""

    match: Match
    format_of: Callable[[str], Format | None]
    """The format in which the rule sees a name."""
    scheme_of: Callable[[str], SchemeType | None]
    """The scheme of a free scale."""

    def scale(self, expr: tree.Expr) -> Scale:
        """A scale expression as a monomial. Raises Refused where a factor is not a positive number."""
        if isinstance(expr, tree.Binary) and expr.op in "*/":
            left, right = self.scale(expr.left), self.scale(expr.right)
            return left * right if expr.op == "*" else left / right
        if isinstance(expr, tree.Field) and expr.name == "scale" and isinstance(expr.base, tree.Name):
            found = self.format_of(expr.base.id)
            if found is None:
                raise Refused(f"{expr.base.id} is float here and has no scale", expr.span)
            return found.scale
        return Scale.number(self.factor(expr))

    def factor(self, expr: tree.Expr) -> float:
        if isinstance(expr, tree.Number):
            return float(expr.value)
        if isinstance(expr, tree.Name) and expr.id in self.match.captures:
            value = self.match.value(expr.id)
            number = number_of(value)
            if number is not None:
                return float(number)
        if isinstance(expr, tree.Field) and isinstance(expr.base, tree.Name):
            return float(call_field(self.match.places[expr.base.id].call, expr.name))
        if isinstance(expr, tree.Call) and expr.func == "count":
            x, y = (shape_of(self.match.values(a.id)[0]) or () for a in expr.positional if isinstance(a, tree.Name))
            return float(np.prod(x)) / float(np.prod(y))
        raise Refused(f"{unparse(expr)} is not one known number here", expr.span)

    def is_per_tensor(self, scale: Scale) -> bool:
        schemes = [self.scheme_of(s) for s in scale.symbols]
        return not any(s is not None and s.per_channel for s in schemes)

    def is_power_of_two(self, scale: Scale) -> bool:
        """Whether a scale is a power of two whatever calibration finds."""
        schemes = [self.scheme_of(s) for s in scale.symbols]
        return scale.is_power_of_two and all(s is not None and s.pow2 for s in schemes)

    def axis(self, expr: tree.Expr) -> int | None:
        """The axis that a scale expression brings along from the values it names."""
        for node in tree.walk(expr):
            if isinstance(node, tree.Field) and node.name == "scale" and isinstance(node.base, tree.Name):
                found = self.format_of(node.base.id)
                if found is not None and found.axis is not None:
                    return found.axis
        return None
