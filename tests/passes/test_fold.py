"""Folds: equal to float before anything is quantized, refused where the premise is wrong, linear in their number."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from tvm import IRModule, relax

from qdsl.config import QConfig
from qdsl.passes.fold import FoldTrace, fold_module
from qdsl.passes.rebuild import main_graph
from qdsl.ruleset import RuleSet

from ..match.net import Net, constant, nn, operators
from .claims_rules import rules_of
from .interpreter import outputs
from .staged import samples_for, stock

CONSTANTS = 2.0**-20
"""Folded constants are rounded to float32 once (2^-24), several meet in a value, and sums cancel some."""


def folded(module: IRModule, rules: RuleSet | None = None) -> tuple[IRModule, FoldTrace]:
    rules, trace = rules or stock(), FoldTrace()
    return fold_module(module, rules.program.folds, rules.program.defs, trace), trace


def assert_same(module: IRModule, made: IRModule) -> None:
    for sample in samples_for(module):
        for before, after in zip(outputs(module, sample), outputs(made, sample), strict=True):
            bound = CONSTANTS * max(float(np.max(np.abs(before), initial=0.0)), 1e-6)
            np.testing.assert_allclose(after, before, rtol=0, atol=bound)


def norm_behind(
    conv: Callable[[Net, relax.Var], relax.Var], axis: int = 1, size: tuple[int, ...] = (2, 4, 6, 7)
) -> IRModule:
    net = Net()
    return net.module(net.batch_norm(conv(net, net.input(*size)), "n", axis, epsilon=1e-2))


FOLDABLE = {
    "conv": lambda n, x: n.conv(x, 6, 3, "c"),
    "conv and bias": lambda n, x: n.emit(relax.op.add(n.conv(x, 6, 3, "c"), n.const(1, 6, 1, 1)), "b"),
    "bias first": lambda n, x: n.emit(relax.op.add(n.const(6, 1, 1), n.conv(x, 6, 3, "c")), "b"),
    "depthwise": lambda n, x: n.conv(x, 8, 3, "c", groups=4),
    "transposed": lambda n, x: n.emit(nn.conv2d_transpose(x, n.const(4, 5, 2, 2), strides=2), "c"),
    "transposed groups": lambda n, x: n.emit(nn.conv2d_transpose(x, n.const(4, 3, 2, 2), strides=2, groups=2), "c"),
}


@pytest.mark.parametrize("conv", FOLDABLE.values(), ids=FOLDABLE)
def test_a_norm_is_carried_by_the_convolution_before_it(conv: Callable[[Net, relax.Var], relax.Var]) -> None:
    module = norm_behind(conv)
    made, trace = folded(module)
    assert "nn.batch_norm" not in operators(made)
    assert len(operators(made)) == 2, "a convolution and one add"
    assert trace.applied[-1].absorbed == ("n",)
    assert_same(module, made)


@pytest.mark.parametrize("kernel", ["HWIO", "OHWI"])
def test_channels_last(kernel: str) -> None:
    sizes = {"O": 6, "I": 4, "H": 3, "W": 3}
    module = norm_behind(
        lambda n, x: n.emit(
            nn.conv2d(x, n.const(*(sizes[a] for a in kernel)), data_layout="NHWC", kernel_layout=kernel), "c"
        ),
        axis=3, size=(2, 7, 6, 4),
    )  # fmt: skip
    made, _ = folded(module)
    assert "nn.batch_norm" not in operators(made)
    assert_same(module, made)


@pytest.mark.parametrize("gamma", [[-1.5, 0.0, 1e-3, 10.0], [0.0] * 4, [1e-6, -1e-6, 1.0, 1.0]])
def test_any_factor(gamma: list[float]) -> None:
    net = Net()
    c = net.conv(net.input(1, 3, 5, 5), 4, 3, "c")
    rest = [net.const(4), net.const(4), constant([0.5, 2.0, 1e-4, 1.0])]
    norm = nn.batch_norm(c, constant(gamma), *rest, axis=1, training=False)
    module = net.module(net.items(net.emit(norm, "n"), 0)[0])
    made, trace = folded(module)
    assert len(trace.applied) == 1
    assert_same(module, made)


def refused(module: IRModule) -> FoldTrace:
    made, trace = folded(module)
    assert operators(made) == operators(module)
    assert not trace.applied
    return trace


def test_a_training_norm_is_left() -> None:
    net = Net()
    trace = refused(net.module(net.batch_norm(net.conv(net.input(1, 3, 5, 5), 4, 3, "c"), "n", training=True)))
    assert any(a.term == "not y.training" for attempts in trace.refused.values() for a in attempts)


def test_a_norm_over_another_axis_is_left() -> None:
    net = Net()
    refused(net.module(net.batch_norm(net.conv(net.input(1, 3, 5, 5), 4, 3, "c"), "n", axis=2)))


def test_a_norm_before_the_convolution_is_left() -> None:
    net = Net()
    refused(net.module(net.conv(net.batch_norm(net.input(1, 3, 5, 5), "n"), 4, 3, "c", padding=1)))


@pytest.mark.parametrize("other", ["output", "relu", "second norm"])
def test_a_convolution_that_others_read_keeps_its_value(other: str) -> None:
    net = Net()
    c = net.conv(net.input(1, 3, 5, 5), 4, 3, "c")
    n = net.batch_norm(c, "n")
    more = {"output": lambda: c, "relu": lambda: net.emit(nn.relu(c)), "second norm": lambda: net.batch_norm(c, "m")}
    trace = refused(net.module(n, more[other]()))
    assert any(a.term == "used_once(c)" for attempts in trace.refused.values() for a in attempts)


def test_a_weight_that_others_read_keeps_its_value() -> None:
    """conv(x, W) + norm(conv(y, W)): the fold makes a constant of its own."""
    net = Net()
    x, y, weight = net.input(1, 3, 5, 5), net.input(1, 3, 5, 5, name="y"), net.const(4, 3, 3, 3)
    a = net.emit(nn.conv2d(x, weight), "a")
    n = net.batch_norm(net.emit(nn.conv2d(y, weight), "b"), "n")
    module = net.module(net.emit(relax.op.add(a, n), "total"))
    made, trace = folded(module)
    assert len(trace.applied) == 1
    assert "nn.batch_norm" not in operators(made)
    assert_same(module, made)


def test_two_norms_on_one_weight() -> None:
    net = Net()
    x, weight = net.input(1, 3, 5, 5), net.const(4, 3, 3, 3)
    norms = [net.batch_norm(net.emit(nn.conv2d(x, weight), f"c{i}"), f"n{i}") for i in range(2)]
    module = net.module(net.emit(relax.op.add(*norms), "total"))
    made, trace = folded(module)
    assert len(trace.applied) == 2
    assert_same(module, made)


def test_folding_can_be_switched_off() -> None:
    from qdsl.session import stages

    module = norm_behind(FOLDABLE["conv"])
    assert "nn.batch_norm" in operators(stages.fold(module, stock(), QConfig(fold_batch_norm=False)))
    left = stages.fold(module, stock(), QConfig(without=("batch_norm_into_conv",)))
    assert "nn.batch_norm" in operators(left)


# ---- many applications

UNDO = """
fold undo
    match    y = expand_dims(squeeze(x))
    rewrite  y = x
"""
MERGE = """
fold merge
    match    s = add{x, a}
             y = add{s, b}
    when     constant(a, b) and not constant(x) and used_once(s)
    rewrite  y = x + (a + b)
"""


def there_and_back(count: int) -> IRModule:
    net = Net()
    value = net.input(1, 4)
    for i in range(count):
        value = net.emit(relax.op.expand_dims(net.emit(relax.op.squeeze(value, [0]), f"s{i}"), 0), f"e{i}")
    return net.module(net.emit(nn.relu(value), "last"))


def sums(count: int) -> IRModule:
    net = Net()
    value = net.input(1, 4)
    for i in range(count):
        value = net.emit(relax.op.add(value, constant(np.full((1, 4), 0.5))), f"a{i}")
    return net.module(value)


@pytest.mark.parametrize(
    ("make", "rules", "count", "hits", "left"),
    [(there_and_back, UNDO, 200, 200, ["nn.relu"]), (sums, MERGE, 106, 105, ["add"])],
    ids=["200 times there and back", "105 merges of two adds"],
)
def test_a_chain_is_as_many_hits_of_one_sweep(
    make: Callable[[int], IRModule], rules: str, count: int, hits: int, left: list[str]
) -> None:
    module = make(count)
    made, trace = folded(module, rules_of(rules))
    assert len(trace.applied) == hits
    assert operators(made) == left
    np.testing.assert_allclose(outputs(made, s := samples_for(module)[0])[0], outputs(module, s)[0], rtol=1e-6)


@pytest.mark.parametrize(("make", "rules"), [(there_and_back, UNDO), (sums, MERGE)])
def test_time_grows_with_the_number_of_hits_and_no_faster(make: Callable[[int], IRModule], rules: str) -> None:
    def seconds(count: int) -> float:
        module, best = make(count), float("inf")
        for _ in range(2):
            start = time.process_time()
            folded(module, rules_of(rules))
            best = min(best, time.process_time() - start)
        return best

    # Eight times the operators: eight times the time if it is linear, sixty-four times if it is quadratic.
    assert seconds(400) < 24 * seconds(50)


def test_an_output_that_is_an_input_stays_an_output() -> None:
    net = Net()
    x = net.input(1, 4)
    module = net.module(net.emit(relax.op.expand_dims(net.emit(relax.op.squeeze(x, [0]), "s"), 0), "e"))
    made, _ = folded(module, rules_of(UNDO))
    assert [str(o.name) for o in main_graph(made).outputs] == ["e"]
    assert_same(module, made)
