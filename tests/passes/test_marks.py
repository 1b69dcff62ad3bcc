"""What the marks of fired rules make of a graph: conversions, shared scales, scales that change or move."""

from __future__ import annotations

import numpy as np
import pytest
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.passes.rebuild import main_graph

from ..match.net import Net, constant, nn
from .claims_rules import rules_of
from .forced import compare
from .interpreter import outputs, run
from .staged import Staged, samples_for, staged, stock


def edges(module: IRModule, value: str, scheme: str = "act") -> int:
    """How many conversions of a value into a scheme an annotated module has."""
    graph = main_graph(module)
    calls = [b.value for b in graph.bindings if dialect.is_call(b.value, "simulated_quantize")]
    return sum(
        str(c.attrs["scheme"]) == scheme and str(getattr(c.args[0], "name", "")).removesuffix("_as_acc") == value
        for c in calls
    )


def labels(made: Staged, value: str) -> dict[str, object]:
    """The labels of the result of a rule, by the operator's variable."""
    graph = main_graph(made.simulated)
    return next(
        dialect.attributes(b.value)
        for b in graph.bindings
        if dialect.is_call(b.value, "annotated") and str(b.value.args[0].name) == value
    )


def assert_follows(made: Staged, module: IRModule) -> None:
    """Integers within one step of the simulation, operator by operator."""
    for sample in samples_for(module):
        assert all(c.steps <= 1 for c in compare(made.simulated, made.rules, sample))


# ---- one conversion per value, scheme and scale


def test_one_conversion_for_all_readers() -> None:
    net = Net()
    r = net.emit(nn.relu(net.conv(net.input(1, 4, 6, 6), 4, 3, "c")), "r")
    a, b = net.conv(r, 4, 3, "a"), net.conv(r, 4, 1, "b")
    total = net.emit(relax.op.add(r, net.conv(r, 4, 3, "d")), "total")
    module = net.module(a, b, net.conv(total, 4, name="last"))
    made = staged(module, samples_for(module))
    assert edges(made.annotated, "r") == 1
    names = [str(b.value.op.name) for b in main_graph(made.integer).bindings if isinstance(b.value, relax.Call)]
    assert names.count("relax.qdsl.quantize") == 1, "x"
    assert_follows(made, module)


def test_the_residual_blocks_input_is_quantized_once() -> None:
    """r1 = relu(conv(x) + x); r2 = relu(conv(r1) + r1)."""
    net = Net()
    value = net.input(1, 4, 6, 6)
    for i in (1, 2):
        total = net.emit(relax.op.add(net.conv(value, 4, 3, f"c{i}"), value), f"a{i}")
        value = net.emit(nn.relu(total), f"r{i}")
    module = net.module(net.conv(value, 4, name="last"))
    made = staged(module, samples_for(module))
    assert [made.rule_at(f"a{i}") for i in (1, 2)] == ["residual_add_onto_accumulator"] * 2
    assert (
        sum(
            dialect.is_call(b.value, "simulated_quantize") and str(b.var.name).startswith("r1")
            for b in main_graph(made.annotated).bindings
        )
        == 1
    )
    assert_follows(made, module)


# ---- share


def test_a_group_of_scales_is_solved_as_a_whole() -> None:
    """x -> max_pool -> concat with conv: x, the pool, the convolution's part and the join have one scale."""
    net = Net()
    x = net.input(1, 4, 6, 6)
    pool = net.emit(nn.max_pool2d(x, 3, padding=1), "pool")
    wide = net.emit(relax.op.multiply(net.conv(x, 4, 3, "c"), constant(60.0)), "wide")
    join = net.emit(relax.op.concat([pool, wide], 1), "join")
    module = net.module(net.conv(join, 4, name="last"), net.conv(x, 2, name="other"))
    made = staged(module, samples := samples_for(module))
    assert made.rule_at("pool") is not None
    assert made.rule_at("join") == "concat"
    assert labels(made, "pool")["on_scale"] == labels(made, "join")["on_scale"]
    group = str(labels(made, "join")["on_scale"])
    assert sum(s.endswith(".act") for s in made.numbers.scale) == 1
    joined = [run(module, s)["join"] for s in samples]
    span = max(j.max() for j in joined) - min(j.min() for j in joined)
    assert float(made.numbers.scale[group]) == pytest.approx(span / 255, rel=0.01)
    assert_follows(made, module)


def test_a_field_that_is_zero_in_calibration_takes_the_groups_scale() -> None:
    net = Net()
    x = net.input(1, 4, 6, 6)
    dead = net.emit(nn.relu(net.emit(relax.op.add(net.conv(x, 2, name="c"), constant(-1e3)), "low")), "dead")
    join = net.emit(relax.op.concat([dead, net.conv(x, 2, name="d")], 1), "join")
    module = net.module(net.conv(join, 4, name="last"))
    made = staged(module, samples_for(module))
    assert float(made.numbers.scale[str(labels(made, "join")["on_scale"])]) > 1e-3
    assert_follows(made, module)


@pytest.mark.parametrize("spread", [1.0, 60.0, 0.1])
def test_fields_of_different_ranges_are_requantized_onto_one_scale(spread: float) -> None:
    net = Net()
    x, v = net.input(1, 2, 5, 5), net.input(1, 2, 5, 5, name="v")
    a = net.emit(nn.relu(net.conv(x, 2, name="ca")), "a")
    b = net.emit(relax.op.multiply(net.conv(x, 3, name="cb"), constant(spread)), "b")
    join = net.emit(relax.op.concat([a, b, v, net.const(1, 2, 5, 5)], 1), "join")
    module = net.module(net.conv(join, 4, name="last"))
    made = staged(module, samples_for(module))
    assert made.rule_at("join") == "concat"
    assert_follows(made, module)


def test_a_member_on_a_fixed_scale_is_converted_on_its_edge() -> None:
    """sigmoid is made on 1/256; the join's other part needs more."""
    fixed = """
rule fixed_sigmoid
    match    y = sigmoid(x)
    when     wanted(y)
    annotate x as act
             y as fixed(scale=0.00390625, zero=0, dtype=uint8)
    realize  y = lookup(sigmoid, x)
"""
    stock_text = "".join(source.text for source in stock().program.sources.values() if "convolution" in source.path)
    rules = rules_of(fixed, JOIN, "rule conv" + stock_text.split("rule convolution")[1].split("test ")[0])
    net = Net()
    x = net.input(1, 2, 5, 5)
    join = net.emit(relax.op.concat([net.emit(relax.op.sigmoid(x), "s"), x], 1), "join")
    module = net.module(net.conv(join, 4, name="last"))
    made = staged(module, samples_for(module), rules=rules)
    assert labels(made, "s")["on_scale"] == "0.00390625"
    assert labels(made, "join")["on_scale"] != "0.00390625"
    assert edges(made.annotated, "s_as_fixed") == 1
    assert_follows(made, module)


JOIN = """
rule join
    match    y = concat([parts...])
    when     wanted(y)
    annotate share parts..., y as act
    realize  y = concat([parts...], **y)
"""


# ---- like


@pytest.mark.parametrize(
    ("factor", "rule"), [(0.5, "scale_by_constant"), (40.0, "scale_by_constant"), (-0.7, "multiply_constant")]
)
def test_a_positive_factor_is_a_change_of_scale(factor: float, rule: str) -> None:
    net = Net()
    c = net.emit(nn.relu(net.conv(net.input(1, 4, 5, 5), 4, 3, "c")), "r")
    y = net.emit(relax.op.multiply(c, constant(factor)), "y")
    module = net.module(net.conv(y, 4, name="last"))
    made = staged(module, samples_for(module))
    assert made.rule_at("y") == rule
    if factor > 0:
        assert str(labels(made, "y")["on_scale"]).startswith(repr(float(np.float32(factor))))
        names = [str(b.value.op.name) for b in main_graph(made.integer).bindings if isinstance(b.value, relax.Call)]
        assert "relax.multiply" not in names
    assert_follows(made, module)


MOVING = """
rule moved_accumulator for op in permute_dims, reshape, strided_slice
    match    y = op(x)
    annotate y like x
    realize  y = op(x, **y)
"""


def moved(*moves: object) -> tuple[Staged, IRModule]:
    """A convolution over (3, 4, 5, 6), moved, then its bias; by rules that move accumulators as they stand."""
    net = Net()
    value = net.conv(net.input(3, 4, 5, 6), 8, 3, "c")
    for i, move in enumerate(moves):
        value = net.emit(move(value), f"m{i}")  # type: ignore[operator]
    module = net.module(value)
    texts = [s.text for p, s in stock().program.sources.items() if "convolution" in p or "accumulator" in p]
    items = ["\n".join(line for line in t.splitlines() if not line.startswith("use")) for t in texts]
    return staged(module, samples_for(module), rules=rules_of(MOVING, *items)), module


@pytest.mark.parametrize(
    ("moves", "axis"),
    [
        ([lambda v: relax.op.permute_dims(v, [0, 2, 3, 1])], 3),
        ([lambda v: relax.op.permute_dims(v)], 2),
        ([lambda v: relax.op.reshape(v, (3, 8, 30))], 1),
        ([lambda v: relax.op.reshape(v, (3, 1, 8, 5, 6))], 2),
        ([lambda v: relax.op.permute_dims(v, [1, 0, 2, 3]), lambda v: relax.op.reshape(v, (8, 90))], 0),
        ([lambda v: relax.op.strided_slice(v, [2], [0], [5], [2])], 1),
        ([lambda v: relax.op.reshape(v, (24, 30))], None),
        ([lambda v: relax.op.reshape(v, (3, 4, 2, 30))], None),
        ([lambda v: relax.op.strided_slice(v, [1], [0], [8], [2])], None),
    ],
)  # fmt: skip
def test_the_channel_axis_follows_a_move_or_the_rule_is_refused(moves: list[object], axis: int | None) -> None:
    made, module = moved(*moves)
    last = f"m{len(moves) - 1}"
    if axis is None:
        assert made.rule_at(last) is None
        assert "does not keep the axis" in made.decision(last).reason
        return
    assert labels(made, last)["axis"] == axis
    assert_follows(made, module)
    expected, found = outputs(made.simulated, samples_for(module)[0]), outputs(made.integer, samples_for(module)[0])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-4)
