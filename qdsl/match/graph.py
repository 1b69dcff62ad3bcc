"""A Relax dataflow function as a graph: definitions, readers, order, origins. Built once a sweep, read by everybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tvm import ir, relax, tirx
from tvm.ir import GenericConst

from qdsl.errors import ModelError


@dataclass(frozen=True)
class Reader:
    """One operand position that reads a value; `call` is None where the reader is a model output."""

    var: relax.Var | None
    """The variable that the reading operator defines."""
    position: int


class Graph:
    """The single dataflow block of a function, indexed."""

    def __init__(self, function: relax.Function) -> None:
        blocks = function.body.blocks
        if len(blocks) != 1 or not isinstance(blocks[0], relax.DataflowBlock):
            raise ModelError(
                "the function has to be one dataflow block (no control flow); qdsl.load brings a model into that form"
            )
        self.function = function
        self.bindings: list[relax.VarBinding] = list(blocks[0].bindings)
        self.var2val = relax.analysis.get_var2val(function)
        self.value_of: dict[relax.Var, relax.Expr] = {b.var: b.value for b in self.bindings}
        self.order: dict[relax.Var, int] = {b.var: i for i, b in enumerate(self.bindings)}
        self.readers: dict[relax.Var, list[Reader]] = {}
        for binding in self.bindings:
            for position, operand in enumerate(flat_operands(binding.value)):
                if isinstance(operand, relax.Var):
                    self.readers.setdefault(operand, []).append(Reader(binding.var, position))
        for position, output in enumerate(self.outputs):
            self.readers.setdefault(output, []).append(Reader(None, position))

    def var2val_at(self, root: relax.Var, depth: int) -> Mapping[relax.Var, relax.Expr]:
        """The definitions that a pattern `depth` operators deep can look at from a root; here simply all of them."""
        return self.var2val

    @property
    def outputs(self) -> list[relax.Var]:
        """The variables that the function returns."""
        body = self.function.body.body
        if isinstance(body, relax.Var) and isinstance(self.value_of.get(body), relax.Tuple):
            body = self.value_of[body]
        return list(body.fields) if isinstance(body, relax.Tuple) else [body]

    def define(self, expr: relax.Expr) -> relax.Expr:
        """What a variable is bound to (itself for parameters, constants and inline expressions)."""
        while isinstance(expr, relax.Var) and isinstance(self.value_of.get(expr), relax.Var):
            expr = self.value_of[expr]
        return self.value_of.get(expr, expr) if isinstance(expr, relax.Var) else expr

    def call_of(self, expr: relax.Expr) -> relax.Call | None:
        """The operator call that made a value, seen through tuple items."""
        value = self.define(expr)
        if isinstance(value, relax.TupleGetItem):
            value = self.define(value.tuple_value)
        return value if isinstance(value, relax.Call) else None

    def reads(self, var: relax.Var) -> list[Reader]:
        """All operand positions that read a value, model outputs included."""
        return self.readers.get(var, [])

    def is_output(self, var: relax.Var) -> bool:
        return any(r.var is None for r in self.reads(var))


def flat_operands(value: relax.Expr) -> Iterator[relax.Expr]:
    """The operands of a bound value, an inline tuple opened."""
    if isinstance(value, relax.Call):
        for arg in value.args:
            yield from arg.fields if isinstance(arg, relax.Tuple) else (arg,)
    elif isinstance(value, relax.Tuple):
        yield from value.fields
    elif isinstance(value, relax.TupleGetItem):
        yield value.tuple_value
    elif isinstance(value, relax.Var):
        yield value


def operator_name(value: relax.Expr) -> str | None:
    """The Relax operator of a call without its `relax.` prefix; None for anything else."""
    if isinstance(value, relax.Call) and isinstance(value.op, ir.Op):
        return str(value.op.name).removeprefix("relax.")
    return None


def item_index(value: relax.Expr) -> int:
    """Which result of an operator with several a value is; 0 for that of an operator with one."""
    return int(value.index) if isinstance(value, relax.TupleGetItem) else 0


def origin(value: relax.Expr) -> str | None:
    """The original model's operator that a value comes from (kept in the span), or None."""
    span = getattr(value, "span", None)
    return str(span.source_name.name) if span is not None and span.source_name is not None else None


def is_constant(expr: relax.Expr) -> bool:
    return isinstance(expr, GenericConst)


def array_of(expr: relax.Expr) -> NDArray[np.generic]:
    """The array of a constant."""
    return np.asarray(expr.value.numpy())


def number_of(expr: relax.Expr) -> int | float | None:
    """The number of a literal operand or of a one-element constant; None for anything else."""
    if isinstance(expr, GenericConst):
        array = array_of(expr)
        return array.reshape(-1)[0].item() if array.size == 1 else None
    if isinstance(expr, tirx.IntImm | tirx.FloatImm):
        return expr.value if not isinstance(expr.value, bool) else int(expr.value)
    inner = getattr(expr, "value", None)
    if isinstance(inner, tirx.IntImm | tirx.FloatImm):
        return inner.value
    return None


def shape_of(expr: relax.Expr) -> tuple[int, ...] | None:
    """The static shape of a tensor, or None where it is no tensor or not static."""
    ty = getattr(expr, "ty", None)
    if not isinstance(ty, relax.TensorType) or ty.shape is None or not hasattr(ty.shape, "values"):
        return None
    dims = [number_of(d) for d in ty.shape.values]
    return tuple(int(d) for d in dims if d is not None) if all(d is not None for d in dims) else None


def dtype_of(expr: relax.Expr) -> str | None:
    """The dtype of a tensor, or None."""
    ty = getattr(expr, "ty", None)
    return str(ty.dtype) if isinstance(ty, relax.TensorType) else None
