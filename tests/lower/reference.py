"""Convolutions in numpy, in int64 or float64, and modules that hold one convolution or product."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from tvm import relax
from tvm.ir import IRModule


@dataclass(frozen=True)
class Case:
    """One convolution over NCHW data; `kernel` is (height, width)."""

    batch: int
    height: int
    width: int
    inputs: int
    outputs: int
    kernel: tuple[int, int]
    stride: int = 1
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: int = 1
    groups: int = 1
    data: str = "uint8"
    zero: int = 0
    seed: int = field(default=0, compare=False)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Data, weights (OIHW) and bias (O,), over the whole range of their types."""
        rng = np.random.default_rng(self.seed)
        shapes = [
            (self.batch, self.inputs, self.height, self.width),
            (self.outputs, self.inputs // self.groups, *self.kernel),
            (self.outputs,),
        ]
        if self.data == "float32":
            data, weights, bias = (rng.standard_normal(shape, dtype="float32") for shape in shapes)
            return data, weights, bias
        info = np.iinfo(self.data)
        data = rng.integers(info.min, info.max + 1, shapes[0]).astype(self.data)
        weights = rng.integers(-128, 128, shapes[1]).astype("int8")
        return data, weights, rng.integers(-(2**20), 2**20, shapes[2]).astype("int32")

    def module(self, name: str = "main") -> IRModule:
        """conv2d(data - zero, weights) + bias, as realize writes it."""
        data, weights, bias = self.arrays()
        builder = relax.BlockBuilder()
        x = relax.Var("x", relax.TensorType(data.shape, self.data))
        with builder.function(name, [x]):
            with builder.dataflow():
                operand = x
                if self.zero:
                    wide = builder.emit(relax.op.astype(x, "int16"))
                    operand = builder.emit(relax.op.subtract(wide, relax.const(self.zero, "int16")))
                total = builder.emit(
                    relax.op.nn.conv2d(
                        operand,
                        relax.const(weights),
                        strides=(self.stride, self.stride),
                        padding=self.padding,
                        dilation=(self.dilation, self.dilation),
                        groups=self.groups,
                        out_dtype="float32" if self.data == "float32" else "int32",
                    )
                )
                y = builder.emit_output(relax.op.add(total, relax.const(bias.reshape(1, -1, 1, 1))), "y")
            builder.emit_func_output(y)
        return builder.get()

    def expected(self) -> np.ndarray:
        """What the module gives, exactly (float64 for floats)."""
        data, weights, bias = self.arrays()
        wide = np.float64 if self.data == "float32" else np.int64
        top, left, bottom, right = self.padding
        image = np.pad(data.astype(wide) - self.zero, ((0, 0), (0, 0), (top, bottom), (left, right)))
        reach = [(k - 1) * self.dilation for k in self.kernel]
        rows, columns = ((extent - r - 1) // self.stride + 1 for extent, r in zip(image.shape[2:], reach, strict=True))
        out = np.zeros((self.batch, self.outputs, rows, columns), wide) + bias.reshape(1, -1, 1, 1)
        per_group = self.outputs // self.groups
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                rows_seen, columns_seen = (
                    slice(at * self.dilation, at * self.dilation + places * self.stride, self.stride)
                    for at, places in ((i, rows), (j, columns))
                )
                seen = image[:, :, rows_seen, columns_seen]
                seen = seen[:, :, :rows, :columns].reshape(self.batch, self.groups, -1, rows, columns)
                taps = weights[:, :, i, j].astype(wide).reshape(self.groups, per_group, -1)
                out += np.einsum("ngihw,goi->ngohw", seen, taps).reshape(out.shape)
        return out
