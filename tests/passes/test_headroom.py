"""Sums that may leave their accumulator are refused, by name, before any data is seen; what is not refused never
wraps. The interpreter makes every int32 overflow an error."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl.config import QConfig
from qdsl.session import stages

from ..match.net import Net, constant, nn
from .claims_rules import rules_of
from .interpreter import outputs
from .staged import staged, stock

LONG = 70_000
"""More products of 255 * 127 than an accumulator has room for; a third of them would be fine."""


def dense(weight: NDArray[np.float32], dtype: str = "float32") -> IRModule:
    net = Net()
    x = net.input(1, weight.shape[0], dtype=dtype)
    return net.module(net.emit(relax.op.matmul(x, relax.const(weight.astype("float32"))), "y"))


def rule_at(module: IRModule, var: str = "y", **options: object) -> tuple[str | None, str]:
    plan = stages.annotate(module, stock(), QConfig(**options)).plan  # type: ignore[arg-type]
    decision = next(d for d in plan.decisions if d.var == var)
    return decision.rule, decision.reason


def test_a_long_sum_of_large_codes_is_refused_by_name() -> None:
    rule, reason = rule_at(dense(np.ones((LONG, 2))))
    assert rule is None
    assert reason.startswith("matmul: matmul adds up 70000 terms that may reach")
    assert "an accumulator of 32 bits" in reason


def test_the_codes_of_a_constant_are_counted_not_guessed() -> None:
    """As many terms, but all weights but one are small: their codes add up to little."""
    weight = np.full((LONG, 2), 0.01)
    weight[0] = 1.0
    module = dense(weight)
    assert rule_at(module)[0] == "matmul"
    samples = [{"x": np.full((1, LONG), v, "float32")} for v in (1.0, -1.0)]
    made = staged(module, samples)
    for sample in [*samples, {"x": np.full((1, LONG), 1e6, "float32")}]:
        outputs(made.integer, sample)


def test_the_largest_sum_that_is_let_through_does_not_wrap() -> None:
    """Every code at its end, and the largest bias that fits on top."""
    count = int(0.75 * 2**31 / (255 * 127.5)) - 1
    net = Net()
    y = net.emit(relax.op.matmul(net.input(1, count), relax.const(np.ones((count, 1), "float32"))), "y")
    module = net.module(net.emit(relax.op.add(y, constant([[1e9]])), "z"))
    assert rule_at(module)[0] == "matmul"
    ends = [{"x": np.full((1, count), v, "float32")} for v in (0.0, 1.0)]
    made = staged(module, ends)
    for sample in ends:
        outputs(made.integer, sample)


@pytest.mark.parametrize(
    ("call", "op"),
    [
        (lambda net, x: nn.conv2d(x, constant(np.ones((1, 8000, 3, 3)))), "nn.conv2d"),
        (lambda net, x: nn.conv2d_transpose(x, constant(np.ones((8000, 1, 3, 3)))), "nn.conv2d_transpose"),
        (lambda net, x: nn.conv2d(x, constant(np.ones((8000, 1, 3, 3))), groups=8000), None),
        (lambda net, x: nn.conv2d_transpose(x, constant(np.ones((8000, 1, 3, 3))), groups=8000), None),
        (lambda net, x: nn.conv2d(x, constant(np.ones((3, 8000, 1, 1)))), None),
    ],
    ids=["long", "transposed", "depthwise", "transposed depthwise", "pointwise"],
)
def test_the_terms_of_a_convolution(call: object, op: str | None) -> None:
    net = Net()
    module = net.module(net.emit(call(net, net.input(1, 8000, 3, 3)), "y"))  # type: ignore[operator]
    rule, reason = rule_at(module)
    assert (rule is None) is (op is not None)
    if op is not None:
        assert f"{op} adds up 72000 terms" in reason


def test_two_computed_operands_may_both_be_at_their_ends() -> None:
    def scores(size: int) -> IRModule:
        net = Net()
        return net.module(net.emit(relax.op.matmul(net.input(2, size), net.input(size, 2, name="v")), "y"))

    assert rule_at(scores(20_000))[0] == "matmul_of_two"
    assert rule_at(scores(30_000))[0] is None


def test_wider_codes_and_narrower_accumulators_leave_less_room() -> None:
    module = dense(np.ones((1000, 2)))
    assert rule_at(module)[0] == "matmul"
    assert rule_at(module, dtype_input="int16", asymmetric=False)[0] is None
    assert rule_at(module, nbit_activation=24)[0] is None
    assert rule_at(module, nbit_activation=24, nbit_input=4, nbit_weight=4)[0] == "matmul"


def test_a_mean_of_very_many_values() -> None:
    mean = """
rule mean
    match     y = mean(x)
    annotate  x as act
              y as wide = x.scale / count(x, y)
    realize   y = sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)
"""

    def rule(size: int) -> str | None:
        net = Net()
        module = net.module(net.emit(relax.op.mean(net.input(size)), "y"))
        return stages.annotate(module, rules_of(mean), QConfig()).plan.decisions[0].rule

    assert rule(6_000_000) == "mean"
    assert rule(9_000_000) is None


def test_a_sum_of_two_wide_values_far_beyond_calibration_saturates() -> None:
    """Calibrated where two convolutions nearly cancel, run where they do not: each is rescaled onto a scale hundreds
    of times too fine."""
    net = Net()
    x = net.input(1, 2, 4, 4)
    weight = np.array([1.0, -1.0]).reshape(1, 2, 1, 1)
    a = net.emit(nn.conv2d(x, constant(weight)), "a")
    b = net.emit(nn.relu(net.emit(nn.conv2d(x, constant(weight)), "b")), "r")
    total = net.emit(relax.op.add(a, b), "total")
    module = net.module(net.conv(total, 1, name="last"))
    same = np.random.default_rng(0).standard_normal((1, 1, 4, 4)).astype("float32")
    samples = [{"x": np.concatenate([same, same * 1.001], 1)}]
    made = staged(module, samples)
    assert made.rule_at("total") is not None
    for apart in (1e2, -1e2):
        outputs(made.integer, {"x": np.concatenate([same + apart, same - apart], 1)})
