"""Annotate: a plan, written into the module so that it can be read.

Each value that a rule reads in a format gets one `R.qdsl.simulated_quantize` for all readers of that format; each
value that a rule makes gets an `R.qdsl.annotated` that names the rule, what it captured and the format that came out.
Scales are still symbols (`input.act * conv1.w.weight[0]`); until calibrate gives them numbers both are the identity,
so the module computes what the float model computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.formats.format import Format
from qdsl.match.graph import Graph, array_of, is_constant, item_index, operator_name, shape_of
from qdsl.passes.naming import identity
from qdsl.passes.plan import Firing, Plan, Read
from qdsl.passes.rebuild import Emit, rebuild_function, with_operands

INT32_LOW, INT32_HIGH = -(2**31) + 128, 2**31 - 128
"""Bounds of int32 codes that float32 can hold exactly, so that a clip before the cast cannot overflow."""
WIDE_HIGH = 2**30 - 64
"""The greatest code of a scheme with headroom: far beyond its bits, and two of them can still be added."""


FLOAT, AS_IT_IS, INSIDE = "float", "as it is", "inside"
"""How a rule reads what it gives no format: as float32, unmarked (numbers, shapes, token ids), or made in its match."""


def write_plan(module: IRModule, graph: Graph, plan: Plan) -> IRModule:
    """The module with the plan's coercions and results in it."""
    return rebuild_function(module, graph, _Writer(graph, plan).write)


def bounds(format: Format) -> tuple[int, int]:
    """The least and greatest code of a format; int32 keeps its headroom whatever its bits."""
    if format.dtype == "int32":
        return (INT32_LOW, INT32_HIGH) if format.scheme.bits is None else (-WIDE_HIGH, WIDE_HIGH)
    return format.scheme.low, format.scheme.high


def labels(format: Format) -> dict[str, Any]:
    """A format as attributes of one of our operators."""
    low, high = bounds(format)
    named: dict[str, Any] = {
        "scheme": format.scheme.name, "dtype": format.dtype, "bits": format.scheme.used_bits, "low": low, "high": high,
        "on_scale": str(format.scale), "on_zero": str(format.zero),
    }  # fmt: skip
    if format.axis is not None:
        named["axis"] = format.axis
    if format.scheme.pow2:
        named["pow2"] = True
    return named


@dataclass
class _Writer:
    graph: Graph
    plan: Plan
    became: dict[relax.Var, relax.Expr] = field(default_factory=dict)
    edges: dict[tuple[object, ...], relax.Var] = field(default_factory=dict)

    def write(self, emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        self.emit = emit
        inside = {v for f in self.plan.firings.values() for v in f.match.interior}
        for binding in self.graph.bindings:
            if binding.var in self.plan.firings:
                self._write_firing(binding.var, self.plan.firings[binding.var])
            elif binding.var not in inside:
                value = with_operands(binding.value, lambda operand, _: self.now(operand))
                self.became[binding.var] = emit(value, str(binding.var.name))
        return self.became

    def now(self, operand: relax.Expr) -> relax.Expr:
        """What stands for an operand of the old function in the new one."""
        return self.became.get(operand, operand) if isinstance(operand, relax.Var) else operand

    def _write_firing(self, root: relax.Var, firing: Firing) -> None:
        match = firing.match
        reads = {name: tuple(self._read(r, firing, name) for r in rs) for name, rs in firing.reads.items()}
        by_place = {}
        by_value: dict[int, relax.Expr] = {}
        for name, exprs in reads.items():
            place = match.places.get(name)
            values = match.values(name)
            if place is not None and len(values) == 1 and place.position != "result":
                by_place[(identity(place.call), place.position, identity(values[0]))] = exprs[0]
            for value, expr in zip(values, exprs, strict=True):
                by_value.setdefault(identity(value), expr)
        local: dict[relax.Var, relax.Expr] = {}
        members = sorted({root, *match.interior}, key=lambda v: self.graph.order[v])
        for var in members:
            value = self.graph.value_of[var]

            def operand(old: relax.Expr, position: int, value: relax.Expr = value) -> relax.Expr:
                placed = by_place.get((identity(value), position, identity(old)))
                if placed is not None:
                    return placed
                if isinstance(old, relax.Var) and old in local:
                    return local[old]
                return by_value.get(identity(old), self.now(old))

            local[var] = self.emit(with_operands(value, operand), str(var.name))
        self.became.update(local)
        for name, formats in firing.results.items():
            for value, result in zip(match.values(name), formats, strict=True):
                assert isinstance(value, relax.Var)
                position = item_index(self.graph.value_of[value])
                self._write_result(value, name, position, result, firing, reads, local)

    def _write_result(
        self,
        value: relax.Var,
        name: str,
        position: int,
        result: Format | None,
        firing: Firing,
        reads: Mapping[str, tuple[relax.Expr, ...]],
        local: Mapping[relax.Var, relax.Expr],
    ) -> None:
        match = firing.match
        names: list[str] = []
        how: list[str] = []
        exprs: list[relax.Expr] = []
        boundary = match.boundary
        for captured in match.captures:
            if captured in match.results:
                continue
            unmarked = AS_IT_IS if captured in boundary else INSIDE
            for read, expr in zip(
                firing.reads.get(captured, (None,) * len(match.values(captured))),
                reads.get(captured, tuple(local.get(v, self.now(v)) for v in match.values(captured))),
                strict=True,
            ):
                names.append(captured)
                exprs.append(expr)
                how.append(unmarked if read is None else FLOAT if read.format is None else read.format.scheme.name)
        described: dict[str, Any] = {} if result is None else labels(self.plan.symbols.resolve(result))
        call = dialect.annotated(
            local[value], exprs, rule=firing.rule.name, op=match.compiled.op or "", result=name, position=position,
            root=str(match.root.name), names=names, reads=how, **described,
        )  # fmt: skip
        root_span = self.graph.value_of[match.root].span
        call = relax.Call(call.op, call.args, attrs=call.attrs, span=root_span)
        self.became[value] = self.emit(call, f"{value.name}_as_{result.scheme.name if result else 'float'}")

    def _read(self, read: Read, firing: Firing, name: str) -> relax.Expr:
        now = self.now(read.value)
        if not read.coerced or read.format is None:
            return now
        format = self.plan.symbols.resolve(read.format)
        if is_constant(now) and format.axis is not None and format.scheme.is_accumulator:
            now = self._spread(now, format, firing)
        key = (identity(read.value), format.scheme.name, str(format.scale), format.scale.coefficient, format.axis)
        if key not in self.edges:
            call = dialect.simulated_quantize(now, rule=firing.rule.name, **labels(format))
            span = self.graph.value_of[firing.match.root].span
            call = relax.Call(call.op, call.args, attrs=call.attrs, span=span)
            owner = read.value.name if isinstance(read.value, relax.Var) else f"{firing.match.root.name}_{name}"
            self.edges[key] = self.emit(call, f"{owner}_{format.scheme.name}")
        return self.edges[key]

    def _spread(self, constant: relax.Expr, format: Format, firing: Firing) -> relax.Expr:
        """A constant with one element on a per-channel scale is laid along the channels first."""
        array = array_of(constant)
        result = shape_of(firing.match.values(firing.match.results[0])[0]) or ()
        assert format.axis is not None
        if array.ndim > format.axis and array.shape[format.axis] != 1:
            return constant
        if array.size != 1 or format.axis >= len(result):
            return constant
        shape = [1] * len(result)
        shape[format.axis] = result[format.axis]
        return relax.const(np.broadcast_to(array.reshape([1] * len(result)), shape).copy())


def is_ours(value: relax.Expr, name: str) -> bool:
    """Whether a bound value is a call of one of our operators, `qdsl.NAME`."""
    return operator_name(value) == f"qdsl.{name}"
