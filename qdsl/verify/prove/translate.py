"""A kernel's own expression (tirx) as integers of z3, with the claim that no step of it leaves its type.

Machine integers are taken for whole numbers, and every operation adds the claim that its result fits its dtype; where
all of these hold, the machine computes what the whole numbers say. A product of two unknowns is one unknown of known
bounds: what is claimed of the sum, the shift and the rounding behind it has to hold for every product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tvm import te, tirx
from tvm.ir import Expr

from qdsl.verify.prove.solver import z3_module


@dataclass
class Translation:
    """Translates one expression; `claims` are what has to hold for it to be exact."""

    values: Mapping[str, Any]
    """By name of a variable or of a tensor that is read: a z3 integer, or a Python one."""
    products: Mapping[str, int] = field(default_factory=dict)
    """Greatest magnitude of a product of two unknowns, by the name that it gets: at most one of them."""
    claims: list[Any] = field(default_factory=list)
    assumptions: list[Any] = field(default_factory=list)
    _fresh: dict[str, Any] = field(default_factory=dict)

    def integer(self, expr: Expr) -> Any:
        """An integer expression; the claim that it fits its dtype is noted."""
        value = self._integer(expr)
        self._fits(value, str(expr.ty.dtype) if hasattr(expr.ty, "dtype") else str(expr.ty))
        return value

    def boolean(self, expr: Expr) -> Any:
        """A condition."""
        z3 = z3_module()
        kind = type(expr).__name__
        if kind in ("And", "Or"):
            sides = [self.boolean(expr.a), self.boolean(expr.b)]
            return z3.And(*sides) if kind == "And" else z3.Or(*sides)
        if kind == "Not":
            return z3.Not(self.boolean(expr.a))
        left, right = self.integer(expr.a), self.integer(expr.b)
        answers = {
            "LT": lambda: left < right, "LE": lambda: left <= right, "GT": lambda: left > right,
            "GE": lambda: left >= right, "EQ": lambda: left == right, "NE": lambda: left != right,
        }  # fmt: skip
        answer = answers[kind]()
        return z3.BoolVal(answer) if isinstance(answer, bool) else answer

    def _integer(self, expr: Expr) -> Any:
        z3 = z3_module()
        kind = type(expr).__name__
        if isinstance(expr, tirx.IntImm):
            return int(expr.value)
        if isinstance(expr, tirx.Var):
            return self.values[str(expr.name)]
        if kind == "Call":
            return self._read(expr)
        if kind == "Cast":
            return self.integer(expr.value)
        if kind == "Select":
            condition = self.boolean(expr.condition)
            return z3.If(condition, self.integer(expr.true_value), self.integer(expr.false_value))
        left, right = self.integer(expr.a), self.integer(expr.b)
        if kind == "Add":
            return left + right
        if kind == "Sub":
            return left - right
        if kind == "Mul":
            return self._product(left, right)
        if kind == "LShift":
            return left * 2 ** int(right)
        if kind == "RShift":
            return self._shifted(left, int(right))
        if kind == "BitwiseAnd":
            return self.unknown("_and", [0, 2**62])
        if kind in ("Max", "Min"):
            first = left > right if kind == "Max" else left < right
            return z3.If(first, left, right) if not isinstance(first, bool) else (left if first else right)
        raise NotImplementedError(f"no translation of {kind}")

    def _read(self, call: Any) -> Any:
        tensor = next(a for a in call.args if isinstance(a, te.Tensor))
        return self.values[str(tensor.op.name)]

    def _product(self, left: Any, right: Any) -> Any:
        if isinstance(left, int) or isinstance(right, int):
            return left * right
        ((name, most),) = self.products.items()
        return self.unknown(name, [-most, most])

    def _shifted(self, value: Any, shift: int) -> Any:
        """value >> shift, rounding down."""
        if isinstance(value, int):
            return value >> shift
        z3 = z3_module()
        quotient = z3.FreshInt("_quotient")
        self.assumptions += [quotient * 2**shift <= value, value < (quotient + 1) * 2**shift]
        return quotient

    def unknown(self, name: str, bounds: list[int]) -> Any:
        """A whole number of some bounds; the same for the same name."""
        if name not in self._fresh:
            self._fresh[name] = z3_module().Int(name)
            self.assumptions += [self._fresh[name] >= bounds[0], self._fresh[name] <= bounds[1]]
        return self._fresh[name]

    def _fits(self, value: Any, dtype: str) -> None:
        if not dtype.lstrip("u").startswith("int") or isinstance(value, int):
            return
        bits = int(dtype.lstrip("uint"))
        low, high = (0, 2**bits) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        self.claims += [value >= low, value < high]
