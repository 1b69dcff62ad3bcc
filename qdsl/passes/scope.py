"""What the names of a rule stand for where it fired, read back from its `annotated` call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tvm import relax

from qdsl import dialect
from qdsl.match.facts import layout_at
from qdsl.match.found import Place
from qdsl.match.graph import Graph, array_of, is_constant, number_of, shape_of
from qdsl.passes.naming import identity
from qdsl.realize.host import widened
from qdsl.realize.values import Host, Numbers, Several, Tensor, Value

Became = Mapping[relax.Var, Tensor]
"""What became of each variable of the annotated function."""
AsFloat = Callable[[relax.Expr], relax.Expr]
"""A value as float32, dequantized where it is in integers."""


class Scope:
    """What the names of a rule stand for where it fired, read back from its `annotated` call."""

    def __init__(
        self, graph: Graph, call: relax.Call, attrs: dict[str, object], became: Became, as_float: AsFloat
    ) -> None:
        self.became = became
        self.as_float = as_float
        self.result = str(attrs["result"])
        root = graph.call_of(call.args[0])
        assert root is not None
        captures = dialect.captures_of(call)
        names, reads = attrs["names"], attrs["reads"]
        assert isinstance(names, list) and isinstance(reads, list)
        boundary = {identity(c) for c, r in zip(captures, reads, strict=True) if r != "inside"}
        inside = _calls_inside(graph, root, boundary)
        self.calls: dict[str, relax.Call] = {self.result: root}
        self.shapes: dict[str, tuple[int, ...]] = {self.result: shape_of(call) or ()}
        self.formats: dict[str, Numbers] = {}
        self.names: dict[str, Value] = {}
        for name, capture, how in zip(names, captures, reads, strict=True):
            self.shapes.setdefault(name, shape_of(capture) or ())
            if how == "inside":
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
                return Tensor(self.as_float(capture), None, layout)
            return Host(None, None, capture)
        tensor = self.became.get(capture, Tensor(capture))
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
        for operand in operands_of(current):
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


def operands_of(value: relax.Expr) -> list[relax.Expr]:
    """The operands of a bound value, tuples opened."""
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
