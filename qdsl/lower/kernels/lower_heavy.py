"""The pass that turns convolutions and products with constant weights into kernels over packed weights.

It runs after the layout pass and before TVM's LegalizeOps, which lowers whatever is left. A call it has no kernel for
is left as it is. Corrections for zero points join the bias that follows.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.kernels.choose import Choice, choose
from qdsl.lower.kernels.emit import emit_kernel, emit_transposed, takes_taps
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
            if sums.join_bias(variable, value):
                return True
            reading = read_heavy(value, sums)
            if reading is None:
                return False
            read = reading.convolution
            choice = choose(self.target, dtype_of(reading.data), str(read.kernel.dtype), read.out_dtype)
            if choice is None:
                return False
            _lower(variable, value, reading, choice, sums)
            return True

        return rewrite_main(module, step, Sums)


class Sums(Rewriting):
    """A function under way, in which some sums still lack a constant per channel."""

    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        super().__init__(builder, function)
        self._lacking: dict[relax.Expr, tuple[relax.Expr, np.ndarray]] = {}
        self._unsigned: dict[relax.Expr, relax.Expr] = {}

    def bind_lacking(self, variable: relax.Var, value: relax.Expr, constant_per_channel: np.ndarray) -> None:
        """The old `variable` is `value` plus a constant for each of the last axis."""
        self._lacking[variable] = (self.emit(value), constant_per_channel)

    def new(self, operand: relax.Expr) -> relax.Expr:
        if operand in self._lacking and not self.is_bound(operand):
            value, lacking = self._lacking[operand]
            self.bind(operand, relax.op.add(value, relax.const(lacking)))
        return super().new(operand)

    def join_bias(self, variable: relax.Var, value: relax.Expr) -> bool:
        """Let an addition of a constant add what its operand lacks as well; whether `value` is such an addition."""
        if op_name(value) != "add":
            return False
        for total, bias in (value.args, value.args[::-1]):
            array = constant(self.defined(bias))
            if total in self._lacking and array is not None and array.dtype == np.int32:
                whole, lacking = self._lacking[total]
                joined = (array.astype(np.int64) + lacking).astype(np.int32)
                self.bind(variable, relax.op.add(whole, relax.const(joined)))
                return True
        return False

    def unsigned(self, operand: relax.Expr) -> relax.Expr:
        """A new int8 operand, plus 128, as uint8."""
        if operand not in self._unsigned:
            bits = self.emit(relax.op.astype(operand, "uint8"))
            self._unsigned[operand] = self.emit(relax.op.bitwise_xor(bits, relax.const(128, "uint8")))
        return self._unsigned[operand]


def _lower(variable: relax.Var, call: relax.Call, reading: Reading, choice: Choice, sums: Sums) -> None:
    read = reading.convolution
    unsigned = choice.kind == "vnni" and (not read.is_depthwise or takes_taps(read, choice))
    turned = unsigned and dtype_of(reading.data) == "int8"
    data = sums.unsigned(reading.data) if turned else reading.data
    zero = reading.zero + 128 if turned else reading.zero
    if reading.phases is not None:
        sums.bind(variable, emit_transposed(data, zero, reading.convolution, reading.phases, choice, call, sums))
        return
    made = emit_kernel(data, zero, reading.convolution, choice, call, sums)
    if zero:
        sums.bind_lacking(variable, made, reading.convolution.correction(zero))
    else:
        sums.bind(variable, made)
