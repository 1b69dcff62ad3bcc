"""The builders of the rule language: what a realize clause says in terms of scales, as integer arithmetic.

With real(x) = sx * (x - zx) and the result's format (sy, zy):

    centered(x)               x - zx, in 16 bits where that needs them, x itself where zx = 0
    requantize(e)             round((e - ze) * se / sy) + zy
    rescale(x, s)             round((x - zx) * sx / s), int32
    affine(x, gain, offset)   round((x - zx) * (sx * gain / sy) + offset / sy) + zy
    lookup(f, x)              round(f(real(x)) / sy) + zy, a table for 8-bit x
    level(v, x)               round(v / sx) + zx, saturated
    count(x, y)               elements of x per element of y
    average(x, **y)           the pool y of (x - zx), times sx / sy, rounded, + zy
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import relax

from qdsl import dialect
from qdsl.errors import RuleError
from qdsl.formats.format import STORAGE_BITS
from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.realize.evaluate import Builder, Evaluator
from qdsl.realize.host import along_axis
from qdsl.realize.table import table_of
from qdsl.realize.values import Host, Numbers, Tensor, Value, Vector

RESCALED_HIGH = 2**30 - 64
"""Where rescale saturates: a float32 number, and two such codes can still be added."""


@dataclass(frozen=True)
class Rounding:
    """How requantize multiplies: `mode` "float" or "fixed", and what belongs to "fixed"."""

    mode: str = "float"
    rounding: str = "UPWARD"
    round_for_shift: bool = True


FLOAT = Rounding()
"""The default: a float32 multiply, half to even."""


@dataclass(frozen=True)
class Builders:
    """The builders for one application of a rule."""

    result: Numbers | None
    """The result's format; None where the result is float."""
    rounding: Rounding
    shape_of: Callable[[str], tuple[int, ...]]

    def table(self) -> Mapping[str, Builder]:
        return {
            "centered": self.centered,
            "requantize": self.requantize,
            "rescale": self.rescale,
            "affine": self.affine,
            "lookup": self.lookup,
            "level": self.level,
            "count": self.count,
            "average": self.average,
        }

    def centered(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x = self._integer(evaluator, call, 0)
        assert x.format is not None
        if x.format.zero == 0:
            return x
        wide = "int16" if STORAGE_BITS[x.format.dtype] <= 8 else "int32"
        widened = x.expr if x.dtype == wide else evaluator.emit(relax.op.astype(x.expr, wide))
        moved = evaluator.emit(relax.op.subtract(widened, relax.const(x.format.zero, wide)))
        return Tensor(moved, replace(x.format, zero=0, dtype=wide), x.layout)

    def requantize(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x, target = self._integer(evaluator, call, 0), self._target(call)
        return self._requantized(evaluator, x, target)

    def rescale(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x = self._integer(evaluator, call, 0)
        scale = self._host(evaluator, call, 1)
        target = Numbers(np.asarray(scale, np.float64), 0, None, "int32", -RESCALED_HIGH, RESCALED_HIGH)
        return self._requantized(evaluator, x, target)

    def _requantized(self, evaluator: Evaluator, x: Tensor, target: Numbers) -> Tensor:
        assert x.format is not None
        return Tensor(evaluator.emit(requantize_call(x, target, self.rounding)), target, x.layout)

    def affine(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x, target = self._integer(evaluator, call, 0), self._target(call)
        assert x.format is not None
        gain, offset = (self._laid(evaluator, call.positional[i], x) for i in (1, 2))
        rank = len(x.shape)
        into = along_axis(x.format.scale, x.format.axis, rank)
        out = along_axis(target.scale, target.axis, rank)
        made = dialect.affine(
            x.expr, gain * into / out, offset / out, x.format.zero, target.zero,
            dtype=target.dtype, low=target.low, high=target.high,
        )  # fmt: skip
        return Tensor(evaluator.emit(made), target, x.layout)

    def _laid(self, evaluator: Evaluator, expr: tree.Expr | tree.Spread, x: Tensor) -> NDArray[np.float64]:
        value = evaluator.evaluate(expr)
        if isinstance(value, Vector):
            value = evaluator.laid(value, x)
        if not isinstance(value, Host):
            raise RuleError(
                f"{expr.span}: gain and offset of affine are constants, and {unparse_any(expr)} is computed"
            )
        return np.asarray(value.array, np.float64)

    def lookup(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x, target = self._integer(evaluator, call, 1), self._target(call)
        function = call.positional[0]
        if not isinstance(function, tree.Name | tree.Field):
            raise RuleError(f"{call.span}: lookup takes the name of an operator or of a def")
        assert x.format is not None
        name = unparse(function)

        def apply(inner: Evaluator, value: Tensor) -> Value:
            if name in inner.defs:
                return inner.apply_def(name, [value])
            op = inner.operator_named(name)
            base = next((c for c in inner.calls.values() if str(c.op.name) == f"relax.{op}"), None)
            return inner.operator(op, [value], {}, base)

        if STORAGE_BITS[x.format.dtype] <= 8 and x.format.scale.ndim == 0:
            table = table_of(evaluator, apply, x.format, target)
            return Tensor(evaluator.emit(dialect.lookup(x.expr, table)), target, x.layout)
        real = evaluator.emit(dialect.dequantize(x.expr, x.format.scale, x.format.zero, axis=axis_for(x.format)))
        result = apply(evaluator, Tensor(real, None, x.layout))
        assert isinstance(result, Tensor)
        return Tensor(evaluator.emit(quantize_call(result.expr, target)), target, x.layout)

    def level(self, evaluator: Evaluator, call: tree.Call) -> Value:
        value, x = self._host(evaluator, call, 0), self._integer(evaluator, call, 1)
        assert x.format is not None
        scale = along_axis(x.format.scale, x.format.axis, len(x.shape))
        code = np.clip(np.round(np.asarray(value, np.float64) / scale) + x.format.zero, x.format.low, x.format.high)
        return Host(code.astype(np.int64))

    def count(self, evaluator: Evaluator, call: tree.Call) -> Value:
        names = [a.id for a in call.positional if isinstance(a, tree.Name)]
        x, y = (float(np.prod(self.shape_of(n))) for n in names)
        return Host(x / y)

    def average(self, evaluator: Evaluator, call: tree.Call) -> Value:
        x, target = self._integer(evaluator, call, 0), self._target(call)
        base = evaluator.base_call(call)
        if base is None or x.format is None:
            raise RuleError(f"{call.span}: average(x, **y) takes the attributes of the pool that made y")
        op = str(base.op.name).removeprefix("relax.")
        centred = evaluator.emit(dialect.dequantize(x.expr, np.asarray(1.0), x.format.zero))
        pooled = evaluator.operator(op, [Tensor(centred, None, x.layout)], {}, base)
        assert isinstance(pooled, Tensor)
        step = Numbers(target.scale / x.format.scale, target.zero, target.axis, target.dtype, target.low, target.high)
        return Tensor(evaluator.emit(quantize_call(pooled.expr, step)), target, x.layout)

    # ---- arguments

    def _target(self, call: tree.Call) -> Numbers:
        if self.result is None:
            raise RuleError(f"{call.span}: {call.func} needs a result in an integer format, and this one is float")
        return self.result

    def _integer(self, evaluator: Evaluator, call: tree.Call, position: int) -> Tensor:
        value = evaluator.evaluate(call.positional[position])
        if not isinstance(value, Tensor) or value.format is None:
            raise RuleError(f"{call.span}: {call.func} reads a value in an integer format")
        return value

    def _host(self, evaluator: Evaluator, call: tree.Call, position: int) -> Any:
        value = evaluator.evaluate(call.positional[position])
        if not isinstance(value, Host):
            raise RuleError(f"{call.span}: {call.func} takes a number here")
        return value.array


def unparse_any(expr: tree.Expr | tree.Spread) -> str:
    return f"{expr.id}..." if isinstance(expr, tree.Spread) else unparse(expr)


def axis_for(format: Numbers) -> int | None:
    return format.axis if format.scale.ndim else None


def requantize_call(x: Tensor, target: Numbers, rounding: Rounding) -> relax.Call:
    """The conversion of an integer value into another format, not yet emitted."""
    assert x.format is not None
    ratio = np.asarray(x.format.scale / target.scale)
    axis = axis_for(x.format) if x.format.scale.ndim else axis_for(target)
    return dialect.requantize(
        x.expr, ratio, x.format.zero, target.zero, dtype=target.dtype, low=target.low, high=target.high, axis=axis,
        mode=rounding.mode, rounding=rounding.rounding, round_for_shift=rounding.round_for_shift,
    )  # fmt: skip


def quantize_call(x: relax.Expr, target: Numbers) -> relax.Call:
    """The conversion of a float value into a format, not yet emitted."""
    return dialect.quantize(
        x, target.scale, target.zero, dtype=target.dtype, low=target.low, high=target.high, axis=axis_for(target)
    )
