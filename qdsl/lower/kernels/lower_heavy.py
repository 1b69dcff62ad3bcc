"""The pass that turns convolutions and products with constant weights into kernels over packed weights.

It runs after the layout pass and before TVM's LegalizeOps, which lowers whatever is left. A call it has no kernel for
is left as it is. A bias that is added next, and corrections for zero points, become what the sums begin with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.kernels.choose import choose
from qdsl.lower.kernels.emit import Emitter, takes_taps
from qdsl.lower.kernels.read import Reading, dtype_of, read_heavy
from qdsl.lower.layout.calls import constant, op_name
from qdsl.lower.rewrite import Rewriting, rewrite_main
from qdsl.lower.target import Target


@tvm.transform.module_pass(opt_level=0, name="qdsl.LowerHeavy")
class LowerHeavy:
    """A pass over `main`; the module that is given is left alone."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        def step(variable: relax.Var, value: relax.Expr, sums: Sums) -> bool:
            if sums.add_bias(variable, value):
                return True
            reading = read_heavy(value, sums)
            pending = None if reading is None else _pending(value, reading, sums, self.target)
            if pending is not None:
                sums.postpone(variable, pending)
            return pending is not None

        return rewrite_main(module, step, Sums)


@dataclass(frozen=True)
class Pending:
    """A kernel that is written when it is first read, for its bias may still come."""

    emitter: Emitter
    bias: np.ndarray | None
    """What its sums begin with so far, (accumulated channels,)."""

    def emit(self) -> relax.Expr:
        """The kernel with all that is to be added to it."""
        return self.emitter.emit(self.bias)

    def plus(self, bias: np.ndarray) -> Pending:
        """The same with more to begin with, () or (channels,); a transposed convolution repeats it for each phase."""
        channels = self.emitter.read.channels
        more = bias if bias.size == 1 else np.tile(bias, channels // bias.size)
        before = np.zeros(channels, bias.dtype) if self.bias is None else self.bias
        if bias.dtype.kind == "f":
            return Pending(self.emitter, before + more)
        return Pending(self.emitter, (before.astype(np.int64) + more).astype(np.int32))


class Sums(Rewriting):
    """A function under way, some of whose sums are not written yet."""

    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        super().__init__(builder, function)
        self._pending: dict[relax.Expr, Pending] = {}
        self._unsigned: dict[relax.Expr, relax.Expr] = {}

    def postpone(self, variable: relax.Var, pending: Pending) -> None:
        """Let the old `variable` be what `pending` writes."""
        self._pending[variable] = pending

    def new(self, operand: relax.Expr) -> relax.Expr:
        if operand in self._pending and not self.is_bound(operand):
            self.bind(operand, self._pending[operand].emit())
        return super().new(operand)

    def add_bias(self, variable: relax.Var, value: relax.Expr) -> bool:
        """Let a sum that nothing else reads begin with the constant that `value` adds; whether it is such an addition.

        Of one constant per channel or one for all. Another addition may follow: the sum stays pending.
        """
        if op_name(value) != "add":
            return False
        for total, other in (value.args, value.args[::-1]):
            pending, bias = self._pending.get(total), constant(self.defined(other))
            if pending is None or bias is None or self.readers.get(total, 0) != 1 or self.is_bound(total):
                continue
            channels = int(value.ty.shape.values[-1])
            if bias.size == 1 or (bias.size == channels and bias.shape[-1] == channels):
                self._pending[variable] = pending.plus(bias.reshape(-1))
                return True
        return False

    def unsigned(self, operand: relax.Expr) -> relax.Expr:
        """A new int8 operand, plus 128, as uint8."""
        if operand not in self._unsigned:
            bits = self.emit(relax.op.astype(operand, "uint8"))
            self._unsigned[operand] = self.emit(relax.op.bitwise_xor(bits, relax.const(128, "uint8")))
        return self._unsigned[operand]


def _pending(call: relax.Call, reading: Reading, sums: Sums, target: Target) -> Pending | None:
    read = reading.convolution
    choice = choose(target, dtype_of(reading.data), str(read.kernel.dtype), read.out_dtype)
    if choice is None:
        return None
    unsigned = choice.kind == "vnni" and (not read.is_depthwise or takes_taps(read, choice))
    turned = unsigned and dtype_of(reading.data) == "int8"
    data = sums.unsigned(reading.data) if turned else reading.data
    zero = reading.zero + 128 if turned else reading.zero
    emitter = Emitter(data, zero, read, reading.phases, choice, call, sums)
    return Pending(emitter, read.correction(zero) if zero else None)
