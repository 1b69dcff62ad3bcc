"""Realize: integers. Every conversion becomes quantize, requantize or dequantize; every rule's operator its realize
clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.errors import RuleError
from qdsl.formats.format import STORAGE_BITS
from qdsl.lang import tree
from qdsl.match.bind import Place
from qdsl.match.facts import layout_at
from qdsl.match.graph import Graph, array_of, is_constant, number_of, operator_name, shape_of
from qdsl.passes.naming import identity
from qdsl.passes.rebuild import Emit, main_graph, rebuild_function, spanned, with_operands
from qdsl.realize.builders import FLOAT, Builders, Rounding, axis_for, quantize_call, requantize_call
from qdsl.realize.evaluate import Evaluator
from qdsl.realize.host import along_axis, widened
from qdsl.realize.operators import as_operand
from qdsl.realize.values import Host, Numbers, Several, Tensor, Value


def realize_module(
    module: IRModule, rules: Sequence[tree.Rule], defs: Mapping[str, tree.Def], rounding: Rounding = FLOAT
) -> IRModule:
    """The integer module of a calibrated one. Raises RuleError where a clause does not give what its mark says."""
    graph = main_graph(module)
    writer = _Writer(graph, {r.name: r for r in rules}, defs, rounding)
    return rebuild_function(module, graph, writer.write)


@dataclass(frozen=True)
class Pair:
    """One result of a rule beside the float operator on the same (dequantized) operands."""

    format: Numbers | None
    root: str


def realize_beside(
    module: IRModule,
    rules: Sequence[tree.Rule],
    defs: Mapping[str, tree.Def],
    rule: str,
    rounding: Rounding = FLOAT,
) -> tuple[IRModule, list[Pair]]:
    """A module that returns, for each result of each application of one rule, the integer result dequantized and what
    the float operator makes of the very operands that the rule read: two outputs a pair, in this order.

    So the rule's own error is seen alone, whatever rounding came before it.
    """
    graph = main_graph(module)
    writer = _Writer(graph, {r.name: r for r in rules}, defs, rounding, beside=rule)
    written = rebuild_function(module, graph, writer.write, lambda: [e for pair in writer.pairs for e in pair[:2]])
    return written, [pair[2] for pair in writer.pairs]


@dataclass
class _Writer:
    graph: Graph
    rules: Mapping[str, tree.Rule]
    defs: Mapping[str, tree.Def]
    rounding: Rounding
    became: dict[relax.Var, Tensor] = field(default_factory=dict)
    floats: dict[relax.Var, relax.Expr] = field(default_factory=dict)
    clauses: dict[str, Mapping[str, Value]] = field(default_factory=dict)
    narrowed: dict[tuple[object, ...], Tensor] = field(default_factory=dict)
    beside: str | None = None
    pairs: list[tuple[relax.Expr, relax.Expr, Pair]] = field(default_factory=list)

    def write(self, emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        self.raw_emit = emit
        needed = self._needed()
        for binding in self.graph.bindings:
            if binding.var not in needed:
                continue
            value = binding.value
            if dialect.is_call(value, "simulated_quantize"):
                self.became[binding.var] = self._convert(binding.var, value)
            elif dialect.is_call(value, "annotated"):
                self.became[binding.var] = self._result(binding.var, value)
                if self.beside == dialect.attributes(value)["rule"]:
                    self._compare(binding.var, value)
            else:
                plain = with_operands(value, lambda o, _: self.as_float(o))
                self.became[binding.var] = Tensor(emit(plain, str(binding.var.name)))
        return {o: self.as_float(o) for o in self.graph.outputs}

    def _needed(self) -> set[relax.Var]:
        """What the outputs depend on once rules have taken the place of the operators that they matched."""
        needed: set[relax.Var] = set()
        stack = list(self.graph.outputs)
        while stack:
            var = stack.pop()
            if var in needed or var not in self.graph.value_of:
                continue
            needed.add(var)
            value = self.graph.value_of[var]
            if dialect.is_call(value, "annotated") and self._rule(value).realize is not None:
                reads = dialect.attributes(value)["reads"]
                operands = [c for c, r in zip(dialect.captures_of(value), reads, strict=True) if r != "as it is"]
            else:
                operands = _operands(value)
            stack += [o for o in operands if isinstance(o, relax.Var)]
        return needed

    def _rule(self, call: relax.Call) -> tree.Rule:
        name = str(dialect.attributes(call)["rule"])
        if name not in self.rules:
            raise RuleError(f"the module was annotated by a rule {name!r} that these rules do not have")
        return self.rules[name]

    def emit(self, call: relax.Expr, like: relax.Expr, hint: str) -> relax.Expr:
        made = spanned(call, like) if isinstance(call, relax.Call) and call.span is None else call
        return self.raw_emit(made, hint)

    # ---- edges

    def as_float(self, value: relax.Expr) -> relax.Expr:
        """A value as float32: dequantized once for all float readers."""
        tensor = self.became.get(value) if isinstance(value, relax.Var) else None
        if tensor is None:
            return value
        if tensor.format is None:
            return tensor.expr
        if value not in self.floats:
            f = tensor.format
            call = dialect.dequantize(tensor.expr, f.scale, f.zero, axis=axis_for(f))
            self.floats[value] = self.emit(call, self.graph.value_of[value], f"{value.name}_float")
        return self.floats[value]

    def _convert(self, var: relax.Var, call: relax.Call) -> Tensor:
        target = numbers_of(call)
        source = call.args[0]
        if is_constant(source):
            key = (identity(source), target.dtype, target.scale.tobytes(), target.axis, target.zero)
            if key not in self.narrowed:
                self.narrowed[key] = Tensor(narrow_constant(source, target), target)
            return self.narrowed[key]
        tensor = self.became.get(source, Tensor(source))
        if tensor.format is None:
            return Tensor(self.emit(quantize_call(tensor.expr, target), call, str(var.name)), target)
        if tensor.format.agrees(target):
            return Tensor(tensor.expr, target)
        made = requantize_call(tensor, target, self.rounding)
        return Tensor(self.emit(made, call, str(var.name)), target)

    # ---- operators

    def _result(self, var: relax.Var, call: relax.Call) -> Tensor:
        attrs = dialect.attributes(call)
        rule = self._rule(call)
        target = numbers_of(call) if "on_scale" in attrs else None
        if rule.realize is None:
            made = Tensor(self.as_float(call.args[0]))
            return (
                made
                if target is None
                else Tensor(self.emit(quantize_call(made.expr, target), call, str(var.name)), target)
            )
        root = str(attrs["root"])
        if root not in self.clauses:
            self.clauses[root] = self._run_clause(call, attrs, rule, target)
        value = self.clauses[root][str(attrs["result"])]
        if isinstance(value, Several):
            value = value.items[int(attrs["position"])]
        if isinstance(value, Host):
            value = Tensor(as_operand(value, "float32" if target is None else target.dtype))
        assert isinstance(value, Tensor)
        wanted = "float32" if target is None else target.dtype
        if value.dtype != wanted:
            raise RuleError(
                f"{rule.name_span}: realize of {rule.name} gives {value.dtype} for {attrs['result']}, "
                f"which is marked {wanted}"
            )
        if value.shape != shape_of(call):
            raise RuleError(
                f"{rule.name_span}: realize of {rule.name} gives shape {value.shape} for {attrs['result']}, "
                f"not {shape_of(call)}"
            )
        return Tensor(value.expr, target)

    def _compare(self, var: relax.Var, call: relax.Call) -> None:
        """Emits the float operators of a match on the operands that the rule read."""
        reference = self._float_again(call.args[0])
        pair = Pair(self.became[var].format, str(dialect.attributes(call)["root"]))
        self.pairs.append((self.as_float(var), reference, pair))

    def _float_again(self, var: relax.Expr) -> relax.Expr:
        value = self.graph.value_of.get(var) if isinstance(var, relax.Var) else None
        if value is None or var in self.became:
            return self.as_float(var)
        plain = with_operands(value, lambda o, _: self._float_again(o))
        return self.raw_emit(plain, f"{var.name}_float")

    def _run_clause(
        self, call: relax.Call, attrs: dict[str, object], rule: tree.Rule, target: Numbers | None
    ) -> Mapping[str, Value]:
        assert rule.realize is not None
        scope = _Scope(self, call, attrs)
        builders = Builders(target, self.rounding, scope.shape_of)
        evaluator = Evaluator(
            names=dict(scope.names),
            calls=scope.calls,
            emit=lambda made: self.emit(made, call, str(attrs["root"])),
            defs=self.defs,
            variable=(rule.each.variable, str(attrs["op"])) if rule.each else None,
            builders=builders.table(),
            field_of=lambda name, wanted: scope.field(name, wanted, target),
        )
        evaluator.run(rule.realize)
        missing = str(attrs["result"])
        if missing not in evaluator.names:
            raise RuleError(f"{rule.name_span}: realize of {rule.name} does not define {missing}")
        return evaluator.names


class _Scope:
    """What the names of a rule stand for where it fired, read back from its `annotated` call."""

    def __init__(self, writer: _Writer, call: relax.Call, attrs: dict[str, object]) -> None:
        self.writer = writer
        graph = writer.graph
        self.result = str(attrs["result"])
        root = graph.call_of(call.args[0])
        assert root is not None
        captures = dialect.captures_of(call)
        names, reads = attrs["names"], attrs["reads"]
        assert isinstance(names, list) and isinstance(reads, list)
        boundary = {identity(c) for c, r in zip(captures, reads, strict=True) if r != "as it is"}
        inside = _calls_inside(graph, root, boundary)
        self.calls: dict[str, relax.Call] = {self.result: root}
        self.shapes: dict[str, tuple[int, ...]] = {self.result: shape_of(call) or ()}
        self.formats: dict[str, Numbers] = {}
        self.names: dict[str, Value] = {}
        for name, capture, how in zip(names, captures, reads, strict=True):
            self.shapes.setdefault(name, shape_of(capture) or ())
            if how == "as it is":
                made = graph.call_of(capture) if isinstance(capture, relax.Var) else None
                if made is not None and any(made.same_as(c) for c in inside):
                    self.calls[name] = made
                    continue
            value = self._value(capture, str(how), place_of(capture, inside))
            if isinstance(value, Tensor) and value.format is not None:
                self.formats.setdefault(name, value.format)
            self.names[name] = self._joined(name, value)

    def _joined(self, name: str, value: Value) -> Value:
        earlier = self.names.get(name)
        if earlier is None or not isinstance(value, Tensor):
            return value
        items = earlier.items if isinstance(earlier, Several) else (earlier,)
        return Several((*[i for i in items if isinstance(i, Tensor)], value))

    def _value(self, capture: relax.Expr, how: str, place: Place | None) -> Value:
        layout = layout_at(place) if place is not None else None
        if how in ("float", "as it is"):
            if is_constant(capture):
                return Host(widened(np.asarray(array_of(capture))), layout, capture)
            number = number_of(capture)
            if number is not None:
                return Host(number, None, capture)
            if isinstance(capture, relax.Var):
                return Tensor(self.writer.as_float(capture), None, layout)
            return Host(None, None, capture)
        tensor = self.writer.became.get(capture, Tensor(capture))
        return Tensor(tensor.expr, tensor.format, layout)

    def shape_of(self, name: str) -> tuple[int, ...]:
        return self.shapes[name]

    def field(self, name: str, wanted: str, target: Numbers | None) -> Value | None:
        format = target if name == self.result else self.formats.get(name)
        if format is None or wanted not in ("scale", "zero"):
            return None
        return Host(format.scale) if wanted == "scale" else Host(format.zero)


def _calls_inside(graph: Graph, root: relax.Call, boundary: set[int]) -> list[relax.Call]:
    """The calls of a match, from its root down to the values at its boundary."""
    found: list[relax.Call] = []
    stack: list[relax.Expr] = [root]
    while stack:
        current = stack.pop()
        if isinstance(current, relax.Call):
            if any(current.same_as(f) for f in found):
                continue
            found.append(current)
        for operand in _operands(current):
            if isinstance(operand, relax.Var) and identity(operand) not in boundary:
                value = graph.value_of.get(operand)
                if value is not None and not dialect.is_call(value):
                    stack.append(value)
    return found


def place_of(capture: relax.Expr, calls: Sequence[relax.Call]) -> Place | None:
    """Where a captured value is read inside a match."""
    for call in calls:
        for position, operand in enumerate(call.args):
            fields = operand.fields if isinstance(operand, relax.Tuple) else [operand]
            if any(f.same_as(capture) for f in fields):
                return Place(call, position)
    return None


def _operands(value: relax.Expr) -> list[relax.Expr]:
    if isinstance(value, relax.Call):
        fields: list[relax.Expr] = []
        for arg in value.args:
            fields += list(arg.fields) if isinstance(arg, relax.Tuple) else [arg]
        return fields
    if isinstance(value, relax.Tuple):
        return list(value.fields)
    if isinstance(value, relax.TupleGetItem):
        return [value.tuple_value]
    return [value] if isinstance(value, relax.Var) else []


def numbers_of(call: relax.Call) -> Numbers:
    """The format of a calibrated `simulated_quantize` or `annotated` call."""
    attrs = dialect.attributes(call)
    scale = dialect.scale_of(call)
    if scale is None:
        raise RuleError(f"{operator_name(call)} has no numbers yet: calibrate the module before realizing it")
    axis = attrs.get("axis")
    array = np.asarray(array_of(scale), np.float64)
    return Numbers(
        array, int(attrs["zero"]), int(axis) if axis is not None and array.ndim else None,
        str(attrs["dtype"]), int(attrs["low"]), int(attrs["high"]), str(attrs["scheme"]),
    )  # fmt: skip


def narrow_constant(constant: relax.Expr, target: Numbers) -> relax.Expr:
    """A constant in a format: clip(round(c / scale) + zero, low, high), computed here in float64."""
    array = np.asarray(array_of(constant), np.float64)
    scale = along_axis(target.scale, target.axis, array.ndim)
    codes = np.clip(np.round(array / scale) + target.zero, target.low, target.high)
    storage = {"int4": "int8", "uint4": "uint8"}.get(target.dtype, target.dtype)
    assert target.dtype in STORAGE_BITS
    return relax.const(codes.astype(storage))
