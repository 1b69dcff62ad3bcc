"""Constants on an accumulator: they raise the weight's scale where they would not fit, and never leave int32."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.config import QConfig
from qdsl.match.graph import array_of, is_constant, operator_name
from qdsl.passes.rebuild import main_graph

from ..match.net import Net, constant, nn
from .interpreter import outputs
from .staged import Staged, samples_for, staged

MOST = 2**29


def biased(weight: NDArray[np.float32], bias: list[float]) -> IRModule:
    """y = conv(x, weight) + bias over (1, I, 4, 4)."""
    net = Net()
    x = net.input(1, weight.shape[1], 4, 4)
    c = net.emit(nn.conv2d(x, relax.const(weight)), "c")
    return net.module(net.emit(relax.op.add(c, constant(np.reshape(bias, (1, -1, 1, 1)))), "y"))


def int32_constants(module: IRModule) -> list[NDArray[np.int32]]:
    """The int32 constants that sums read: biases."""
    sums = [b.value for b in main_graph(module).bindings if operator_name(b.value) == "add"]
    return [array_of(a) for call in sums for a in call.args if is_constant(a) and array_of(a).dtype == np.int32]


def int8_constants(module: IRModule) -> list[NDArray[np.int8]]:
    found = [a for b in main_graph(module).bindings for a in getattr(b.value, "args", ()) if is_constant(a)]
    return [array_of(a) for a in {int(a.__chandle__()): a for a in found}.values() if array_of(a).dtype == np.int8]


def relative_error(made: Staged, module: IRModule) -> float:
    sample = samples_for(module)[0]
    expected, found = outputs(module, sample)[0], outputs(made.integer, sample)[0]
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


@pytest.mark.parametrize(
    ("weight", "bias"),
    [
        (np.full((2, 3, 1, 1), 1e-7, "float32"), [5.0, -4.5]),
        (np.stack([np.zeros((3, 1, 1)), np.ones((3, 1, 1))]).astype("float32"), [-1.2, 0.3]),
        (np.stack([np.full((3, 1, 1), 1e-12), np.ones((3, 1, 1))]).astype("float32"), [3.0, 0.5]),  # 3e11 steps
        (np.full((2, 3, 1, 1), 1e-30, "float32"), [1e10, -1e10]),
    ],
    ids=["tiny weights", "a zero filter", "a near-dead channel", "far apart"],
)
def test_a_bias_that_does_not_fit_raises_its_channels_scale(weight: NDArray[np.float32], bias: list[float]) -> None:
    module = biased(weight, bias)
    made = staged(module, samples_for(module))
    (codes,) = int32_constants(made.integer)
    assert np.max(np.abs(codes.astype(np.int64))) <= MOST
    assert relative_error(made, module) < 0.01
    assert made.numbers.raised


def test_a_bias_that_fits_leaves_the_scale_alone() -> None:
    module = biased(Net().const(4, 3, 1, 1).value.numpy(), [0.1, -2.0, 3.0, 0.0])
    made = staged(module, samples_for(module))
    assert not made.numbers.raised
    weight_scale = made.numbers.scale["c.w.weight[0]"]
    expected = np.abs(Net().const(4, 3, 1, 1).value.numpy()).max(axis=(1, 2, 3)) / 127
    np.testing.assert_allclose(weight_scale, expected, rtol=1e-6)


def test_only_the_channel_in_need_is_raised() -> None:
    weight = np.ones((3, 2, 1, 1), "float32")
    weight[1] = 1e-9
    made = staged(m := biased(weight, [1.0, 40.0, -1.0]), samples_for(m))
    scale = made.numbers.scale["c.w.weight[0]"]
    np.testing.assert_allclose(scale[[0, 2]], 1 / 127, rtol=1e-6)
    assert scale[1] > 1e-9 / 127 * 1.01


def shared() -> IRModule:
    """One W in conv A(x) and conv B(4 x), each with a bias of its own."""
    net = Net()
    x = net.input(1, 4, 5, 5)
    four = net.emit(relax.op.multiply(x, constant(4.0)), "four")
    weight = net.const(6, 4, 1, 1)
    a = net.emit(relax.op.add(net.emit(nn.conv2d(x, weight), "a"), net.const(1, 6, 1, 1)), "ya")
    b = net.emit(relax.op.add(net.emit(nn.conv2d(four, weight), "b"), net.const(1, 6, 1, 1)), "yb")
    return net.module(a, b)


def test_a_shared_weight_is_one_int8_tensor_with_two_int32_biases() -> None:
    made = staged(m := shared(), samples_for(m))
    assert len(int8_constants(made.integer)) == 1
    assert len(int32_constants(made.integer)) == 2
    edges = [b for b in main_graph(made.annotated).bindings if dialect.is_call(b.value, "simulated_quantize")]
    assert sum(str(e.value.attrs["scheme"]) == "weight" for e in edges) == 1


def test_of_several_readers_the_largest_demand_wins() -> None:
    net = Net()
    x = net.input(1, 2, 4, 4)
    weight = relax.const(np.full((2, 2, 1, 1), 1e-9, "float32"))
    ends = []
    for name, size in (("a", 1.0), ("b", 50.0)):
        c = net.emit(nn.conv2d(x, weight), name)
        ends.append(net.emit(relax.op.add(c, constant(np.full((1, 2, 1, 1), size))), f"y{name}"))
    module = net.module(*ends)
    made = staged(module, samples_for(module))
    assert len(int8_constants(made.integer)) == 1
    largest = [int(np.max(np.abs(c.astype(np.int64)))) for c in int32_constants(made.integer)]
    assert max(largest) <= MOST
    assert max(largest) > MOST * 0.99, "raised as far as need be, no further"
    assert min(largest) * 50 == pytest.approx(max(largest), rel=0.01)


def test_what_rides_on_a_changed_scale_counts_too() -> None:
    """(c * 1e-6) + b: the bias stands on a scale a million times finer than the accumulator's own."""
    net = Net()
    c = net.emit(nn.conv2d(net.input(1, 2, 4, 4), net.const(2, 2, 1, 1)), "c")
    small = net.emit(relax.op.multiply(net.emit(nn.relu(c), "r"), constant(1e-6)), "small")
    module = net.module(net.emit(relax.op.add(small, constant(np.reshape([2.0, -3.0], (1, 2, 1, 1)))), "y"))
    made = staged(module, samples_for(module), QConfig(fold_batch_norm=False))
    assert made.rule_at("y") == "bias_add"
    (codes,) = int32_constants(made.integer)
    assert np.max(np.abs(codes.astype(np.int64))) <= MOST


def test_fewer_accumulator_bits_leave_less_room() -> None:
    module = biased(np.full((2, 3, 1, 1), 1e-3, "float32"), [5.0, -4.5])
    for bits in (32, 24, 20):
        made = staged(module, samples_for(module), QConfig(nbit_activation=bits))
        (codes,) = int32_constants(made.integer)
        assert np.max(np.abs(codes.astype(np.int64))) <= 2 ** (bits - 3)


def test_a_scalar_bias_without_a_weight_raises_what_there_is() -> None:
    """mean(x) of tiny numbers plus a large one: nothing but x's own scale can give room."""
    net = Net()
    x = net.input(1, 2, 4, 4)
    tiny = net.emit(nn.relu(net.emit(nn.conv2d(x, net.const(2, 2, 1, 1, spread=1e-9)), "c")), "r")
    m = net.emit(relax.op.mean(tiny, [2, 3], keepdims=True), "m")
    total = net.emit(relax.op.add(m, constant(1000.0)), "total")
    module = net.module(net.conv(total, 2, name="last"))
    made = staged(module, samples_for(module))
    assert made.rule_at("m") == "mean"
    assert made.rule_at("total") == "bias_add"
    assert relative_error(made, module) < 0.01
