"""A pattern made into a small float graph: shapes from the operators' forms, constants from a seed.

Values from outside are parameters or constants, as the guard has it. A parameter that the rule reads as it stands
(`x as acc`, `x as any`, `y like x`) is given a format first, by a conversion in front of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.formats.format import Format
from qdsl.lang import tree
from qdsl.match.pattern import Capture, Compiled, Item, ListOf, Literal, Operator, Parts, Pattern
from qdsl.ops import lookup
from qdsl.passes.annotate import labels
from qdsl.passes.rebuild import fresh_name, node_span
from qdsl.realize.operators import wrapper
from qdsl.verify.choose import Chooser
from qdsl.verify.forms import FORMS, Ask, Hint, Plan, Shape, Shapes
from qdsl.verify.hints import Hints

Carry = Callable[[str, Shape, Chooser], "Format | None"]
"""The format that a computed value carries before the rule reads it: (name, shape, chooser); None for float."""


class Unbuildable(Exception):
    """These choices make no graph."""


@dataclass
class Draft:
    """A graph under construction."""

    compiled: Compiled
    hints: Hints
    chooser: Chooser
    carry: Carry
    generator: np.random.Generator = field(init=False)
    parameters: list[relax.Var] = field(default_factory=list)
    bindings: list[relax.VarBinding] = field(default_factory=list)
    leaves: dict[str, relax.Expr | tuple[relax.Expr, ...]] = field(default_factory=dict)
    formats: dict[relax.Var, Format] = field(default_factory=dict)
    """What values carry that the rule reads as they stand."""
    bounds: dict[str, int] = field(default_factory=dict)
    """Integer parameters, and what they are below."""
    made: dict[int, relax.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(zlib.crc32(f"{self.compiled.name}/{self.compiled.op}".encode()))
        self.builder = relax.BlockBuilder()
        self.taken: set[str] = set()
        self.paths: dict[int, str] = {}

    def build(self) -> tuple[IRModule, relax.Var]:
        """The module and its root. Raises Unbuildable."""
        root = self.operator(self.compiled.root, None)
        results = {r: relax.Var(str(r.name), r.ty) for r in self._results(root)}
        return self._module(results), results.get(root, root)

    # ---- the pattern, from its root down

    def operator(self, pattern: Operator, want: Shape | None) -> relax.Var:
        known_already = self.made.get(id(pattern))
        if isinstance(known_already, relax.Var):
            return known_already
        form = FORMS.get(pattern.op)
        if form is None:
            raise Unbuildable(f"no shapes are known for {pattern.op}")
        operands = self._tensor_operands(pattern)
        plan = form(self._ask(pattern, operands, want))
        for position, operand in enumerate(operands):
            if isinstance(operand, Operator | Item):
                self.value(operand, _one(plan.shapes[position]) if plan is not None else want)
        plan = form(self._ask(pattern, operands, want))
        if plan is None:
            raise Unbuildable(f"{pattern.op} does not take these shapes")
        exprs = [self._operand(operand, position, plan) for position, operand in enumerate(operands)]
        call = self._call(pattern, plan, exprs, len(operands))
        var = self._emit(call, self._name_of(pattern))
        self.made[id(pattern)] = var
        return var

    def value(self, pattern: Pattern, want: Shape | None) -> relax.Expr:
        """The value of a nested pattern."""
        if isinstance(pattern, Item):
            known = self.made.get(id(pattern))
            if known is None:
                call = self.operator(pattern.call, want)
                known = self.made[id(pattern)] = self._emit(relax.TupleGetItem(call, pattern.index), "item")
            return known
        assert isinstance(pattern, Operator)
        return self.operator(pattern, want)

    def _tensor_operands(self, pattern: Operator) -> list[Pattern]:
        """The operands that are tensors, in the order in which this graph has them."""
        operands = list(pattern.operands)
        if pattern.commutative and self.chooser.pick(f"{self._path(pattern)}.order", [0, 1]):
            operands.reverse()
        first_number = min((position for position, _ in _number_parameters(pattern.op)), default=len(operands))
        return operands[:first_number]

    def _ask(self, pattern: Operator, operands: Sequence[Pattern], want: Shape | None) -> Ask:
        path = self._path(pattern)
        known = tuple(self._known(o) for o in operands)
        hints = tuple(self._hint(o) for o in operands)
        return Ask(
            pattern.op,
            known,
            hints,
            want,
            self._settings(pattern),
            lambda what, options: self.chooser.pick(f"{path}.{what}", options),
        )

    def _known(self, operand: Pattern) -> Shape | Shapes | None:
        if isinstance(operand, Literal):
            return ()
        if isinstance(operand, Capture | Parts):
            leaf = self.leaves.get(operand.name)
            if leaf is None:
                return None
            return tuple(_shape(e) for e in leaf) if isinstance(leaf, tuple) else _shape(leaf)
        if isinstance(operand, ListOf):
            shapes = [_one(known) for e in operand.elements if (known := self._known(e)) is not None]
            parts = tuple(s for s in shapes if s is not None)
            return parts if len(parts) == len(operand.elements) else None
        made = self.made.get(id(operand))
        return None if made is None else _shape(made)

    def _hint(self, operand: Pattern) -> Hint:
        return self.hints.of(operand.name) if isinstance(operand, Capture | Parts) else Hint()

    def _settings(self, pattern: Operator) -> dict[str, Any]:
        named = [t.id for t in pattern.results if not isinstance(t, tree.IgnoredTarget)]
        asked = {a: v for (result, a), v in self.hints.attributes.items() if result in named}
        return {**asked, **{name: value for name, value, _ in pattern.attributes}}

    def _call(self, pattern: Operator, plan: Plan, exprs: Sequence[Any], tensors: int) -> relax.Expr:
        arguments = {**plan.settings, **self._settings(pattern)}
        for position, name in _number_parameters(pattern.op):
            if position < len(pattern.operands) and isinstance(pattern.operands[position], Literal):
                arguments[name] = pattern.operands[position].value  # type: ignore[union-attr]
        accepted = signature(wrapper(pattern.op)).parameters
        try:
            return wrapper(pattern.op)(*exprs, **{k: v for k, v in arguments.items() if k in accepted})
        except Exception as error:
            raise Unbuildable(f"{pattern.op}: {str(error).splitlines()[0]}") from error

    # ---- operands

    def _operand(self, operand: Pattern, position: int, plan: Plan) -> Any:
        if isinstance(operand, Literal):
            return relax.const(np.asarray(operand.value, np.float32))
        if isinstance(operand, Parts):
            if operand.name not in self.leaves:
                shapes = plan.shapes[position]
                self.leaves[operand.name] = tuple(
                    self._leaf(f"{operand.name}{n}", operand.name, shape, plan, position)
                    for n, shape in enumerate(shapes)
                    if isinstance(shape, tuple)
                )
            return list(self.leaves[operand.name])
        if isinstance(operand, ListOf):
            parts = [_one(s) for s in plan.shapes[position] if isinstance(s, tuple)]
            return [
                self._capture(e, parts[n % len(parts)] if parts else None, plan, position)
                if isinstance(e, Capture)
                else self.value(e, None)
                for n, e in enumerate(operand.elements)
            ]
        if isinstance(operand, Capture):
            return self._capture(operand, _one(plan.shapes[position]), plan, position)
        return self.value(operand, None)

    def _capture(self, operand: Capture, shape: Shape | None, plan: Plan, position: int) -> relax.Expr:
        if operand.name not in self.leaves:
            if shape is None:
                raise Unbuildable(f"no shape for {operand.name}")
            self.leaves[operand.name] = self._leaf(operand.name, operand.name, shape, plan, position)
        leaf = self.leaves[operand.name]
        assert not isinstance(leaf, tuple)
        return leaf

    def _leaf(self, label: str, name: str, shape: Shape, plan: Plan, position: int) -> relax.Expr:
        dtype = plan.dtypes.get(position, "float32")
        if self.hints.of(name).constant:
            return relax.const(self._numbers(name, shape, dtype, position in plan.positive, plan.bound))
        var = relax.Var(fresh_name(label, self.taken), relax.TensorType(shape, dtype))
        self.parameters.append(var)
        if dtype != "float32":
            self.bounds[str(var.name)] = plan.bound
            return var
        format = self.carry(name, shape, self.chooser)
        if format is None:
            return var
        carried = self._emit(dialect.simulated_quantize(var, **labels(format)), f"{label}_{format.scheme.name}")
        self.formats[carried] = format
        return carried

    def _numbers(self, name: str, shape: Shape, dtype: str, positive: bool, bound: int) -> NDArray[Any]:
        if dtype != "float32":
            return self.generator.integers(0, bound, shape).astype(dtype)
        positive = positive or name in self.hints.positive
        sign = "positive" if positive else self.chooser.pick(f"{name}.sign", ["mixed", "positive"])
        array = self.generator.standard_normal(shape)
        if len(shape) > 1:
            array *= np.exp(self.generator.normal(0, 0.5, (shape[0],) + (1,) * (len(shape) - 1)))
        return np.asarray(np.abs(array) + 0.125 if sign == "positive" else array, np.float32)

    # ---- the module

    def _path(self, pattern: Operator) -> str:
        return self.paths.setdefault(id(pattern), f"{pattern.op}{len(self.paths)}")

    def _name_of(self, pattern: Operator) -> str:
        names = [t.id for t in pattern.results if not isinstance(t, tree.IgnoredTarget)]
        return names[0] if names else pattern.op.rpartition(".")[2]

    def _emit(self, expr: relax.Expr, hint: str) -> relax.Var:
        if isinstance(expr, relax.Call):
            expr = relax.Call(expr.op, expr.args, attrs=expr.attrs, ty_args=expr.ty_args, span=node_span(hint))
        try:
            value = self.builder.normalize(expr)
        except Exception as error:
            raise Unbuildable(str(error).splitlines()[0]) from error
        var = relax.DataflowVar(fresh_name(hint, self.taken), value.ty)
        self.bindings.append(relax.VarBinding(var, value))
        return var

    def _results(self, root: relax.Var) -> list[relax.Var]:
        """The values that the function returns: every result of the root that the pattern names."""
        targets = self.compiled.root.results
        if not isinstance(root.ty, relax.TupleType):
            return [root]
        if targets and isinstance(targets[0], tree.SpreadTarget):
            wanted = list(range(len(root.ty.fields)))
        else:
            wanted = [i for i, t in enumerate(targets) if not isinstance(t, tree.IgnoredTarget)] or [0]
        names = [t.id for t in targets if not isinstance(t, tree.IgnoredTarget)] or ["y"]
        return [self._emit(relax.TupleGetItem(root, i), names[min(n, len(names) - 1)]) for n, i in enumerate(wanted)]

    def _module(self, results: Mapping[relax.Var, relax.Var]) -> IRModule:
        """The module; results, which nothing reads, are bound to variables that can be returned."""
        bindings = [relax.VarBinding(results.get(b.var, b.var), b.value) for b in self.bindings]
        returned = list(results.values())
        result = returned[0] if len(returned) == 1 else relax.Tuple(returned)
        body = self.builder.normalize(relax.SeqExpr([relax.DataflowBlock(bindings)], result))
        function = relax.Function(self.parameters, body, result.ty).with_attr("global_symbol", "main")
        return IRModule({relax.GlobalVar("main"): function})


def _number_parameters(op: str) -> list[tuple[int, str]]:
    """(position, name) of an operator's operands that are no tensors, by its function's parameters."""
    known = lookup(op)
    if known is None:
        return []
    parameters = list(signature(wrapper(op)).parameters)
    return [(i, parameters[i]) for i, o in enumerate(known.operands) if not o.kind.startswith("tensor")]


def _shape(expr: relax.Expr) -> Shape:
    return tuple(int(d) for d in expr.ty.shape.values)


def _one(shape: Shape | Shapes) -> Shape | None:
    return shape if all(isinstance(s, int) for s in shape) else None  # type: ignore[return-value]
