"""The pass that turns float softmax, layer norm and reductions along the last axis into kernels that go row by row."""

from __future__ import annotations

import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.kernels import rows
from qdsl.lower.kernels.read import dtype_of
from qdsl.lower.layout.calls import fixed_shape, op_name, rank_of
from qdsl.lower.rewrite import Rewriting, rewrite_main
from qdsl.lower.target import Target

_LAST_OF_ROWS = {"op_pattern": 3}
"""TVM's number for a reduction, which elementwise calls may follow where its result has their shape."""
_LONG = 4
"""Registers' worth of terms from which a sum is taken in four registers."""


@tvm.transform.module_pass(opt_level=0, name="qdsl.LowerRows")
class LowerRows:
    """A pass over `main`; the module that is given is left alone."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        def step(variable: relax.Var, value: relax.Expr, rewriting: Rewriting) -> bool:
            made = self._made(value, rewriting)
            if made is not None:
                rewriting.bind(variable, made)
            return made is not None

        return rewrite_main(module, step, Rewriting)

    def _made(self, value: relax.Expr, rewriting: Rewriting) -> relax.Expr | None:
        name = op_name(value)
        if name not in ("nn.softmax", "nn.layer_norm", "sum", "mean", "max") or not _is_along_rows(value):
            return None
        lanes = self._lanes(fixed_shape(value.args[0])[-1])
        operands = [rewriting.new(argument) for argument in value.args]
        attrs = value.attrs
        call = rewriting.builder.call_te
        options = {"primfunc_name_hint": name.split(".")[-1], "primfunc_attrs": _LAST_OF_ROWS}
        if name == "nn.softmax":
            return call(lambda x: rows.softmax(x, lanes), *operands, **options)
        if name == "nn.layer_norm":
            if not (attrs.center and attrs.scale):
                return None
            epsilon = float(attrs.epsilon)
            return call(lambda x, g, b: rows.layer_norm(x, g, b, lanes, epsilon), *operands, **options)
        return call(lambda x: rows.total(x, lanes, name, bool(attrs.keepdims)), *operands, **options)

    def _lanes(self, length: int) -> int:
        lanes = self.target.float_lanes
        return 4 * lanes if length >= 4 * lanes * _LONG else lanes


def _is_along_rows(value: relax.Call) -> bool:
    """Whether the call reduces float32 along its operand's last axis alone."""
    rank = rank_of(value.args[0])
    axes = getattr(value.attrs, "axes", None) if op_name(value) == "nn.layer_norm" else value.attrs.axis
    if axes is None or rank < 1 or dtype_of(value.args[0]) != "float32":
        return False
    listed = [int(axes)] if isinstance(axes, int) else [int(axis) for axis in axes]
    return [axis % rank for axis in listed] == [rank - 1]
