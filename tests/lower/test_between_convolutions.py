"""Operators between two convolutions, where layouts change hands: as TVM's own unscheduled pipeline computes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import IRModule, relax

from qdsl.lower.compile import compile

Between = Callable[[relax.BlockBuilder, relax.Var], relax.Expr]


def _emit(make: Callable[[relax.Var], relax.Expr]) -> Between:
    return lambda builder, x: builder.emit(make(x))


def _halves(builder: relax.BlockBuilder, x: relax.Var) -> relax.Expr:
    parts = builder.emit(relax.op.split(x, 2, axis=1))
    return builder.emit(relax.op.concat([builder.emit(parts[1]), builder.emit(parts[0])], axis=1))


OPERATORS: dict[str, Between] = {
    "strided_slice": _emit(lambda x: relax.op.strided_slice(x, axes=[1, 2], begin=[0, 1], end=[4, 7])),
    "pad": _emit(lambda x: relax.op.nn.pad(x, [0, 0, 0, 0, 1, 2, 0, 1])),
    "max_pool2d": _emit(lambda x: relax.op.nn.max_pool2d(x, (3, 3), (2, 2), (1, 1))),
    "avg_pool2d": _emit(lambda x: relax.op.nn.avg_pool2d(x, (2, 2), (2, 2), (1, 1), count_include_pad=False)),
    "mean": _emit(lambda x: relax.op.mean(x, axis=[2, 3], keepdims=True)),
    "sum over channels": _emit(lambda x: relax.op.sum(x, axis=[1], keepdims=True)),
    "permute_dims": _emit(lambda x: relax.op.permute_dims(x, [0, 1, 3, 2])),
    "transposed to channels": _emit(lambda x: relax.op.permute_dims(x, [0, 2, 1, 3])),
    "reshape": _emit(lambda x: relax.op.reshape(x, (1, 3, 14, 7))),
    "softmax over channels": _emit(lambda x: relax.op.nn.softmax(x, axis=1)),
    "resize2d": _emit(lambda x: relax.op.image.resize2d(x, (9, 5), layout="NCHW", method="nearest_neighbor")),
    "clip": _emit(lambda x: relax.op.clip(x, -0.5, 0.5)),
    "prelu": _emit(lambda x: relax.op.nn.prelu(x, relax.const(np.linspace(-1, 1, 6, dtype="float32")), axis=1)),
    "split and concat": _halves,
    "flip": _emit(lambda x: relax.op.flip(x, axis=1)),
    "tile": _emit(lambda x: relax.op.tile(x, [1, 2, 1, 1])),
}


def _module(between: Between) -> IRModule:
    generator = np.random.default_rng(3)

    def weights(outputs: int, inputs: int, size: int) -> relax.Expr:
        return relax.const(generator.standard_normal((outputs, inputs, size, size)).astype("float32"))

    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 4, 9, 9), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            first = builder.emit(relax.op.nn.conv2d(x, weights(6, 4, 3)))
            middle = between(builder, first)
            channels = int(middle.ty.shape.values[1])
            result = builder.emit_output(relax.op.nn.conv2d(middle, weights(5, channels, 1)))
        builder.emit_func_output(result)
    return builder.get()


@pytest.mark.parametrize("name", OPERATORS)
def test_as_tvm_computes_it(name: str) -> None:
    module = _module(OPERATORS[name])
    x = np.random.default_rng(4).standard_normal((1, 4, 9, 9)).astype("float32")
    (ours,) = compile(module).run({"x": x}).values()
    plain = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"](tvm.runtime.tensor(x)).numpy()
    # Sums of at most 6 * 9 products of float32, in another order: a few units in the last place of the largest.
    assert ours.shape == plain.shape
    np.testing.assert_allclose(ours, plain, rtol=0, atol=64 * np.spacing(np.abs(plain).max()))
