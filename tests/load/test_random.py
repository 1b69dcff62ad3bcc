"""Random graphs of the operators that canonical forms move, merge and rewrite keep their values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest

from qdsl.load import load_model

from .models import feeds_for, model, node, reference, run

LENGTH = 24
UNARY = ("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "HardSwish", "Softsign", "Identity")


class _Grower:
    """A graph that grows by one operator at a time on values of any rank from 1 to 4."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        self.shapes: dict[str, tuple[int, ...]] = {"x": (1, 3, 4, 2), "z": (3, 1, 5)}

    def pick(self) -> str:
        """Mostly a recent value, so that the graph becomes deep."""
        names = list(self.shapes)
        return names[-1 - min(int(self.rng.exponential(2.0)), len(names) - 1)]

    def add(self, op: str, inputs: list[str], shape: tuple[int, ...], **attributes: object) -> None:
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(op, inputs, [name], **attributes))
        self.shapes[name] = shape

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def number(self, shape: tuple[int, ...]) -> str:
        return self.constant((self.rng.uniform(0.5, 2.0, shape) * self.rng.choice([-1, 1])).astype(np.float32))

    def ints(self, values: list[int]) -> str:
        return self.constant(np.asarray(values, np.int64))

    def grow(self) -> None:
        steps: list[Callable[[str, tuple[int, ...]], None]] = [
            self.unary, self.with_constant, self.with_constant, self.binary, self.binary, self.transpose,
            self.transpose, self.reshape, self.clip, self.reduce, self.concat, self.pad, self.variadic, self.slice,
            self.unsqueeze,
        ]  # fmt: skip
        name = self.pick()
        steps[self.rng.integers(len(steps))](name, self.shapes[name])

    def unary(self, x: str, shape: tuple[int, ...]) -> None:
        self.add(str(self.rng.choice(UNARY)), [x], shape)

    def with_constant(self, x: str, shape: tuple[int, ...]) -> None:
        kept = tuple(size if self.rng.random() < 0.5 else 1 for size in shape)[self.rng.integers(len(shape) + 1) :]
        operands = [x, self.number(kept)]
        op = str(self.rng.choice(["Add", "Sub", "Mul", "Div", "Max", "Min"]))
        if self.rng.random() < 0.5 and op != "Div":
            operands.reverse()
        self.add(op, operands, np.broadcast_shapes(shape, kept))

    def binary(self, x: str, shape: tuple[int, ...]) -> None:
        fitting = [name for name, other in self.shapes.items() if self._fits(shape, other)]
        other = str(self.rng.choice(fitting))
        op = str(self.rng.choice(["Add", "Sub", "Mul", "Max", "Min"]))
        self.add(op, [x, other], np.broadcast_shapes(shape, self.shapes[other]))

    def _fits(self, shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
        try:
            return int(np.prod(np.broadcast_shapes(shape, other))) <= 400
        except ValueError:
            return False

    def transpose(self, x: str, shape: tuple[int, ...]) -> None:
        axes = [int(axis) for axis in self.rng.permutation(len(shape))]
        self.add("Transpose", [x], tuple(shape[axis] for axis in axes), perm=axes)

    def reshape(self, x: str, shape: tuple[int, ...]) -> None:
        cut = int(self.rng.integers(1, 4))
        turned = self.rng.random() < 0.7 and len(shape) > 1
        target = (*shape[cut:], *shape[:cut]) if turned else (int(np.prod(shape)),)
        self.add("Reshape", [x, self.ints([int(size) for size in target])], target)

    def clip(self, x: str, shape: tuple[int, ...]) -> None:
        low, high = np.sort(self.rng.choice([-1.0, -0.5, 0.0, 0.5, 6.0], 2, replace=False)).astype(np.float32)
        names = [self.constant(np.asarray(low)), self.constant(np.asarray(high))]
        names[self.rng.integers(2)] = "" if self.rng.random() < 0.3 else names[0]
        if names[1] == names[0]:
            names = [names[0]]
        self.add("Clip", [x, *names], shape)

    def reduce(self, x: str, shape: tuple[int, ...]) -> None:
        if len(shape) < 2:
            return
        axis, keep = int(self.rng.integers(-len(shape), len(shape))), int(self.rng.integers(2))
        left = list(shape)
        left[axis] = 1
        if not keep:
            del left[axis]
        op = str(self.rng.choice(["ReduceMean", "ReduceMax", "ReduceMin"]))
        self.add(op, [x], tuple(left), axes=[axis], keepdims=keep)

    def concat(self, x: str, shape: tuple[int, ...]) -> None:
        if np.prod(shape) > 200:
            return
        axis = int(self.rng.integers(-len(shape), len(shape)))
        other = [name for name, s in self.shapes.items() if s == shape]
        joined = list(shape)
        joined[axis] *= 2
        self.add("Concat", [x, str(self.rng.choice(other))], tuple(joined), axis=axis)

    def pad(self, x: str, shape: tuple[int, ...]) -> None:
        if np.prod(shape) > 100:
            return
        widths = self.rng.integers(0, 2, 2 * len(shape))
        grown = tuple(int(s + a + b) for s, a, b in zip(shape, widths[: len(shape)], widths[len(shape) :], strict=True))
        self.add("Pad", [x, self.ints([int(width) for width in widths])], grown)

    def variadic(self, x: str, shape: tuple[int, ...]) -> None:
        op = str(self.rng.choice(["Sum", "Mean", "Max", "Min"]))
        self.add(op, [x, self.number(shape[-1:]), x][: int(self.rng.integers(1, 4))], shape)

    def slice(self, x: str, shape: tuple[int, ...]) -> None:
        axis = int(self.rng.integers(len(shape)))
        if shape[axis] < 2:
            return
        cut = [*shape[:axis], shape[axis] - 1, *shape[axis + 1 :]]
        self.add("Slice", [x, self.ints([1]), self.ints([9999]), self.ints([axis])], tuple(cut))

    def unsqueeze(self, x: str, shape: tuple[int, ...]) -> None:
        axis = int(self.rng.integers(len(shape)))
        if shape[axis] == 1 and len(shape) > 1:
            self.add("Squeeze", [x, self.ints([axis])], (*shape[:axis], *shape[axis + 1 :]))
        elif len(shape) < 4:
            self.add("Unsqueeze", [x, self.ints([axis])], (*shape[:axis], 1, *shape[axis:]))

    def model(self) -> onnx.ModelProto:
        while len(self.nodes) < LENGTH:
            self.grow()
        read = {name for one in self.nodes for name in one.input}
        ends = [one.output[0] for one in self.nodes if one.output[0] not in read]
        inputs = {"x": self.shapes["x"], "z": self.shapes["z"]}
        return model(self.nodes, inputs, outputs=ends, constants=self.constants, opset=17)


@pytest.mark.parametrize("seed", range(8))
def test_random_graph(seed: int) -> None:
    proto = _Grower(seed).model()
    loaded = load_model(proto)
    feeds = feeds_for(loaded, seed)
    for got, wanted in zip(run(loaded, feeds), reference(proto, feeds), strict=True):
        assert got.shape == wanted.shape
        # Each operator rounds once, relative to its own result; sums of values that cancel keep the larger error.
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 * max(1.0, np.abs(wanted).max(initial=0)))
