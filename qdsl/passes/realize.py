"""Realize: integers. Every conversion becomes quantize, requantize or dequantize; every rule's operator its realize
clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tvm import IRModule, relax

from qdsl import dialect
from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.match.graph import Graph, is_constant, shape_of
from qdsl.passes.codes import narrow_constant, numbers_of
from qdsl.passes.naming import identity
from qdsl.passes.rebuild import Emit, main_graph, rebuild_function, spanned, with_operands
from qdsl.passes.scope import Scope, operands_of
from qdsl.realize.builders import FLOAT, Builders, Rounding, axis_for, quantize_call, requantize_call
from qdsl.realize.evaluate import Evaluator
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
                operands = [c for c, r in zip(dialect.captures_of(value), reads, strict=True) if r != "inside"]
            else:
                operands = operands_of(value)
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
        scope = Scope(self.graph, call, attrs, self.became, self.as_float)
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
