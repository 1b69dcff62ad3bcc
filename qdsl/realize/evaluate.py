"""The evaluator: an expression of a `rewrite` or `realize` clause, over the values that its names stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tvm import relax
from tvm.ir import GenericConst

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.match.fields import Unanswerable, call_field
from qdsl.match.graph import number_of
from qdsl.realize.host import FUNCTIONS, combine, lay_along
from qdsl.realize.operators import as_operand, call_operator, common_dtype, result_format, result_layout
from qdsl.realize.values import Host, Several, Tensor, Value, Vector

BINARY_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
COMPARE_NAMES = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
Builder = Callable[["Evaluator", tree.Call], Value]


@dataclass
class Evaluator:
    """Evaluates expressions; tensors are emitted as they arise."""

    names: dict[str, Value]
    """What captures and locals stand for."""
    calls: Mapping[str, relax.Call]
    """The call that made each result of the match, for `**y` and `y.attribute`."""
    emit: Callable[[relax.Expr], relax.Expr]
    defs: Mapping[str, tree.Def]
    variable: tuple[str, str] | None = None
    """The `for` variable and the operator it stands for."""
    builders: Mapping[str, Builder] = field(default_factory=dict)
    field_of: Callable[[str, str], Value | None] = lambda name, attribute: None
    """Fields that formats give (x.scale, x.zero); None where there is none."""

    def run(self, bindings: tuple[tree.Binding, ...]) -> None:
        """Evaluates the bindings of a clause in order; results are in `names`."""
        for binding in bindings:
            value = self.evaluate(binding.value)
            targets = binding.targets
            if len(targets) == 1:
                if not isinstance(targets[0], tree.IgnoredTarget):
                    self.names[targets[0].id] = value
                continue
            items = self.items(value, binding)
            for target, item in zip(targets, items, strict=False):
                if not isinstance(target, tree.IgnoredTarget):
                    self.names[target.id] = item

    def items(self, value: Value, binding: tree.Binding) -> list[Value]:
        if isinstance(value, Several):
            return list(value.items)
        raise RuleError(f"{binding.span}: {unparse(binding.value)} does not have {len(binding.targets)} results")

    def evaluate(self, expr: tree.Expr | tree.Spread) -> Value:
        """The value of an expression. Raises RuleError with the place in the rule file."""
        try:
            return self._evaluate(expr)
        except (Unanswerable, ValueError) as error:
            raise RuleError(f"{expr.span}: {unparse(expr)}: {error}") from error

    def _evaluate(self, expr: tree.Expr | tree.Spread) -> Value:
        if isinstance(expr, tree.Number | tree.String):
            return Host(expr.value)
        if isinstance(expr, tree.DType):
            return Host(expr.name)
        if isinstance(expr, tree.Name):
            return self._name(expr)
        if isinstance(expr, tree.List):
            return self._list(expr)
        if isinstance(expr, tree.Unary) and expr.op == "-":
            value = self.evaluate(expr.operand)
            return Host(-value.array) if isinstance(value, Host) else self.operator("negative", [value], {})
        if isinstance(expr, tree.Binary):
            return self._binary(expr.op, self.evaluate(expr.left), self.evaluate(expr.right))
        if isinstance(expr, tree.Compare):
            return self.operator(COMPARE_NAMES[expr.op], [self.evaluate(expr.left), self.evaluate(expr.right)], {})
        if isinstance(expr, tree.Field):
            return self._field(expr)
        if isinstance(expr, tree.Along):
            return self._along(expr)
        if isinstance(expr, tree.Call):
            return self._call(expr)
        raise RuleError(f"{expr.span}: {unparse(expr)} has no value")

    def _name(self, expr: tree.Name) -> Value:
        if expr.id in self.names:
            return self.names[expr.id]
        raise RuleError(f"{expr.span}: {expr.id} stands for nothing here")

    def _list(self, expr: tree.List) -> Value:
        values: list[Value] = []
        for element in expr.elements:
            value = self.names[element.id] if isinstance(element, tree.Spread) else self.evaluate(element)
            values += value.items if isinstance(value, Several) else [value]
        if values and all(isinstance(v, Tensor) for v in values):
            return Several(tuple(v for v in values if isinstance(v, Tensor)))
        if any(isinstance(v, Tensor) for v in values):
            dtype = common_dtype(values)
            return Several(tuple(v if isinstance(v, Tensor) else Tensor(as_operand(v, dtype)) for v in values))
        return Host([v.value for v in values if isinstance(v, Host)])

    def _field(self, expr: tree.Field) -> Value:
        if not isinstance(expr.base, tree.Name):
            raise RuleError(f"{expr.span}: only values of the match have fields")
        known = self.field_of(expr.base.id, expr.name)
        if known is not None:
            return known
        if expr.base.id in self.calls:
            return Host(call_field(self.calls[expr.base.id], expr.name))
        raise RuleError(f"{expr.span}: {expr.base.id} has no field {expr.name} here")

    def _along(self, expr: tree.Along) -> Value:
        value = self.evaluate(expr.base)
        if isinstance(value, Vector):
            return replace(value, letter=expr.axis)
        if not isinstance(value, Host):
            raise RuleError(f"{expr.span}: only a constant can be laid along an axis")
        return Vector(np.asarray(value.array, np.float64), expr.axis)

    def _binary(self, op: str, left: Value, right: Value) -> Value:
        if isinstance(left, Vector) and isinstance(right, Vector):
            return Vector(np.asarray(combine(op, left.array, right.array)), left.letter)
        if isinstance(left, Vector) and isinstance(right, Host) and right.layout is None:
            return Vector(np.asarray(combine(op, left.array, right.array)), left.letter)
        if isinstance(right, Vector) and isinstance(left, Host) and left.layout is None:
            return Vector(np.asarray(combine(op, left.array, right.array)), right.letter)
        left, right = self.laid(left, right), self.laid(right, left)
        if isinstance(left, Host) and isinstance(right, Host):
            return Host(combine(op, left.array, right.array), left.layout or right.layout)
        return self.operator(BINARY_NAMES[op], [left, right], {})

    def laid(self, value: Value, beside: Value) -> Value:
        """A vector shaped for the tensor it stands beside; anything else as it is."""
        if not isinstance(value, Vector):
            return value
        layout = beside.layout if isinstance(beside, Host | Tensor) else None
        if layout is None:
            raise ValueError(f"there is no axis {value.letter} to lie along")
        shape = beside.array.shape if isinstance(beside, Host) else beside.shape  # type: ignore[union-attr]
        return Host(lay_along(value.array, value.letter, layout, shape))

    def _call(self, expr: tree.Call) -> Value:
        if expr.func in self.builders:
            return self.builders[expr.func](self, expr)
        if expr.func in self.defs:
            return self.apply_def(expr.func, [self.evaluate(a) for a in expr.positional])
        operands = [self.evaluate(a) for a in expr.positional]
        keywords = {}
        for keyword in expr.keywords:
            value = self.evaluate(keyword.value)
            if not isinstance(value, Host):
                raise RuleError(f"{keyword.span}: an attribute is a number, a list or a string")
            keywords[keyword.name] = value.value
        return self.operator(self.operator_named(expr.func), operands, keywords, self.base_call(expr))

    def operator_named(self, name: str) -> str:
        """The operator that a name in a clause means: the `for` variable's choice, else itself."""
        return self.variable[1] if self.variable is not None and self.variable[0] == name else name

    def base_call(self, expr: tree.Call) -> relax.Call | None:
        """The call that `**y` names, or None."""
        for arg in expr.args:
            if isinstance(arg, tree.AttributesOf):
                return self.calls[arg.id]
        return None

    def apply_def(self, name: str, arguments: list[Value]) -> Value:
        """A pure helper applied to values."""
        definition = self.defs[name]
        inner = replace(self, names=dict(zip((p.id for p in definition.parameters), arguments, strict=True)))
        return inner.evaluate(definition.body)

    def operator(
        self, name: str, operands: list[Value], keywords: dict[str, Any], base: relax.Call | None = None
    ) -> Value:
        """An operator applied: with numpy where all operands are constants, else emitted."""
        if name in FUNCTIONS and base is None and all(isinstance(o, Host) and is_number(o) for o in operands):
            return Host(FUNCTIONS[name](*[o.value for o in operands if isinstance(o, Host)], **keywords))
        beside = next((o for o in operands if isinstance(o, Tensor)), None)
        operands = [self.laid(o, beside) if beside is not None else o for o in operands]
        if (
            name == "clip"
            and len(operands) == 3
            and any(o.array.size != 1 for o in operands[1:] if isinstance(o, Host))
        ):
            return self.operator("minimum", [self.operator("maximum", operands[:2], {}), operands[2]], {})
        if name == "clip" and len(operands) == 3:
            x, low, high = operands
            bounds = [scalar(o, common_dtype([x])) for o in (low, high)]
            call = relax.op.clip(as_operand(x, "float32"), *bounds)
        else:
            call = call_operator(name, operands, keywords, base)
        try:
            made = self.emit(call)
        except (TypeError, ValueError, RuntimeError) as error:
            raise RuleError(f"{name} cannot be called like this: {str(error).splitlines()[0]}") from error
        format = result_format(name, operands)
        if isinstance(made.ty, relax.TupleType):
            count = len(made.ty.fields)
            parts = tuple(Tensor(self.emit(relax.TupleGetItem(made, i)), format) for i in range(count))
            return Several(parts)
        layout = result_layout(call) or (
            beside.layout if beside is not None and len(beside.shape) == len(made.ty.shape) else None
        )
        return Tensor(made, format, layout)


def is_number(host: Host) -> bool:
    return host.source is None or isinstance(host.source, GenericConst) or number_of(host.source) is not None


def scalar(value: Value, dtype: str) -> int | float:
    """One number for an operand that is no tensor, whole for integer dtypes."""
    if not isinstance(value, Host):
        raise ValueError("a bound has to be one number")
    number = value.array.reshape(-1)[0].item()
    return int(number) if "int" in dtype else float(number)
