"""Calls of the kernels: weights packed, tensor expressions made, one-dimensional data given a height."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tvm import relax, te
from tvm.relax.utils import gen_call_tir_inputs

from qdsl.lower.kernels.bias import begin_with_bias
from qdsl.lower.kernels.choose import Choice
from qdsl.lower.kernels.conv import convolution
from qdsl.lower.kernels.convolution import Convolution
from qdsl.lower.kernels.depthwise import depthwise, depthwise_taps, pack_depthwise, pack_taps
from qdsl.lower.kernels.extras import ExtraOperands, Extras, padded_bias
from qdsl.lower.kernels.packing import pack
from qdsl.lower.kernels.product import product
from qdsl.lower.kernels.tile import vectorizable
from qdsl.lower.kernels.transposed import Phases, transposed
from qdsl.lower.layout.calls import fixed_shape
from qdsl.lower.rewrite import Rewriting

_ANCHOR = {"op_pattern": 4}
"""TVM's number for 'a reduction that elementwise operators may follow inside the same kernel'."""
_ALONE = {"op_pattern": 8}
"""TVM's number for 'nothing may join this kernel': what follows it is better off vectorised by itself."""

Kernel = Callable[[te.Tensor, te.Tensor, Extras], te.Tensor]


@dataclass(frozen=True)
class Emitter:
    """One heavy call on its way into the new function."""

    data: relax.Expr
    """The new expression that it reads."""
    zero: int
    """The zero point of the data."""
    read: Convolution
    phases: Phases | None
    choice: Choice
    call: relax.Call
    """The old call."""
    rewriting: Rewriting

    def emit(self, bias: np.ndarray | None) -> relax.Expr:
        """The kernel's call; `bias` (accumulated channels,) is what its sums begin with."""
        if self.phases is not None:
            return self._transposed(self.phases, bias)
        if self.read.is_product:
            return self._product(bias)
        shape = fixed_shape(self.call)
        made = self._depthwise(bias) if self.read.is_depthwise else self._windowed(bias)
        return relax.op.reshape(self.rewriting.emit(made), shape) if len(shape) == 3 else made

    def _product(self, bias: np.ndarray | None) -> relax.Call:
        read, choice, tile = self.read, self.choice, self.read.tile(self.choice)
        rows = math.prod(read.data_shape[:3])

        def kernel(x: te.Tensor, w: te.Tensor, extras: Extras) -> te.Tensor:
            return product(
                x,
                w,
                read.channels,
                kind=f"{choice.kind}.{tile}",
                accumulator=choice.accumulator,
                rows=-(-rows // tile.columns) * tile.columns,
                extras=extras,
            )

        return self._call(kernel, "product", pack(read.kernel, choice.lanes, choice.depth), self._wide(bias), 0)

    def _depthwise(self, bias: np.ndarray | None) -> relax.Call:
        read, choice = self.read, self.choice
        if takes_taps(read, choice):
            return self._call(
                lambda x, w, extras: depthwise_taps(x, w, read.window, extras),
                "depthwise",
                pack_taps(read.kernel, choice.lanes),
                self._wide(bias),
                self._fill(),
            )
        return self._call(
            lambda x, w, extras: depthwise(x, w, read.window, accumulator=choice.accumulator, extras=extras),
            "depthwise",
            pack_depthwise(read.kernel),
            bias,
            self._fill(),
        )

    def _windowed(self, bias: np.ndarray | None) -> relax.Call:
        read, choice = self.read.merged(self.choice), self.choice
        tile = read.tile(choice)
        columns = read.window.outputs(*read.data_shape[1:3])[1]

        def kernel(x: te.Tensor, w: te.Tensor, extras: Extras) -> te.Tensor:
            return convolution(
                x,
                w,
                read.window,
                read.channels,
                kind=f"{choice.kind}.{tile}",
                accumulator=choice.accumulator,
                columns=-(-columns // tile.columns) * tile.columns,
                extras=extras,
                split=read.groups,
            )

        packed = pack(read.kernel, choice.lanes, choice.depth, read.groups)
        return self._call(kernel, "conv", packed, self._wide(bias, read.groups), self._fill())

    def _transposed(self, phases: Phases, bias: np.ndarray | None) -> relax.Call:
        read, choice, tile = self.read, self.choice, self.read.tile(self.choice)
        columns = read.window.outputs(*read.data_shape[1:3])[1]
        shape = fixed_shape(self.call)
        whole = shape[1:3] == phases.outputs
        follows = whole and vectorizable(phases.channels, choice.lanes) >= 4

        def kernel(x: te.Tensor, w: te.Tensor, extras: Extras) -> te.Tensor:
            return transposed(
                x,
                w,
                phases,
                kind=f"{choice.kind}.{tile}",
                accumulator=choice.accumulator,
                columns=-(-columns // tile.columns) * tile.columns,
                extras=extras,
            )

        packed = pack(read.kernel, choice.lanes, choice.depth)
        attrs = _ANCHOR if follows else _ALONE
        made = self._call(kernel, "conv_transposed", packed, self._wide(bias), self._fill(), attrs)
        return made if whole else relax.op.strided_slice(self.rewriting.emit(made), [1, 2], [0, 0], shape[1:3])

    def _fill(self) -> int:
        return self.zero if any(self.read.window.padding) else 0

    def _wide(self, bias: np.ndarray | None, groups: int = 1) -> np.ndarray | None:
        return None if bias is None else padded_bias(bias, self.choice.lanes, groups)

    def _call(
        self,
        kernel: Kernel,
        name: str,
        packed: np.ndarray,
        bias: np.ndarray | None,
        fill: int,
        attrs: dict[str, int] = _ANCHOR,
    ) -> relax.Call:
        operands = ExtraOperands(fill, bias)
        data = self.data
        if len(fixed_shape(data)) == 3 and name != "product":
            data = self.rewriting.emit(relax.op.reshape(data, self.read.data_shape))
        function, arguments, ty = gen_call_tir_inputs(
            lambda x, w, *rest: kernel(x, w, operands.extras(rest)),
            data,
            relax.const(packed),
            *operands.constants(str(data.ty.dtype.dtype)),
            primfunc_attrs=attrs,
        )
        if bias is not None:
            function = begin_with_bias(function)
        return relax.call_tir(self.rewriting.builder.add_func(function, name), arguments, ty)


def takes_taps(read: Convolution, choice: Choice) -> bool:
    """Whether a depthwise convolution is computed four window rows at once."""
    one_each = read.kernel.shape[0] == read.data_shape[3]
    return choice.kind == "vnni" and one_each and read.window.dilation == (1, 1) and read.window.kernel[0] > 1
