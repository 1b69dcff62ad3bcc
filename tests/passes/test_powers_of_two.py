"""Schemes of powers of two, and biases of few bits: what the flags of a scheme ask of calibration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.config import QConfig
from qdsl.lang.program import load_text
from qdsl.match.graph import array_of, is_constant
from qdsl.passes.rebuild import main_graph
from qdsl.ruleset import RuleSet, with_stock

from ..match.net import Net, constant, nn
from .interpreter import outputs
from .staged import Staged, samples_for, staged

POWERS = """
scheme act    = int8  symmetric per_tensor pow2
scheme weight = int8  symmetric per_channel narrow pow2
scheme acc    = int32 symmetric per_channel pow2
scheme wide   = int32 symmetric per_tensor pow2 24 bits
"""
BIASED = """
scheme bias = {scheme}

rule bias_add overrides add_constant
    match     y = add{{x, b}}
    when      constant(b) and spans(b, x)
    annotate  x as acc
              b as bias = x.scale
              y like x
    realize   y = {sum}
"""
BIASES = {"int32 symmetric per_tensor 16 bits": "x + b", "int16 symmetric per_tensor": "x + astype(b, int32)"}


@cache
def before_stock(text: str) -> RuleSet:
    """A rule text before the stock rules."""
    return with_stock(load_text(text))


def scales(module: IRModule) -> list[NDArray[np.float64]]:
    """Every scale of a calibrated module."""
    values = [b.value for b in main_graph(module).bindings]
    found = [dialect.scale_of(v) for v in values if dialect.is_call(v, "simulated_quantize", "annotated")]
    return [np.asarray(array_of(s), np.float64) for s in found if s is not None]


def residual() -> IRModule:
    """Convolutions with a bias, a sum, a global pool and a dense layer: every kind of scale."""
    net = Net()
    x = net.input(1, 4, 4, 4)
    biased = net.emit(relax.op.add(net.conv(x, 4, 3, "a"), net.const(1, 4, 1, 1)), "biased")
    total = net.emit(nn.relu(net.emit(relax.op.add(biased, net.conv(x, 4, 3, "b")), "sum")), "total")
    pooled = net.emit(relax.op.mean(total, [2, 3]), "pooled")
    return net.module(net.emit(relax.op.matmul(pooled, net.const(4, 3)), "y"))


def error(made: Staged, module: IRModule) -> float:
    sample = samples_for(module)[0]
    expected, found = outputs(module, sample)[0], outputs(made.integer, sample)[0]
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


@pytest.mark.parametrize("scheme", BIASES)
def test_such_rules_pass_the_checker(scheme: str) -> None:
    assert [d.message for d in with_bias(scheme, True).check() if d.is_error] == []


@pytest.mark.parametrize("act", ["int8 symmetric per_tensor pow2", "uint8 asymmetric per_tensor pow2"])
@pytest.mark.parametrize("mode", ["minmax", "mse"])
def test_every_scale_is_a_power_of_two(act: str, mode: str) -> None:
    rules = before_stock(POWERS.replace("int8  symmetric per_tensor pow2", act, 1))
    made = staged(m := residual(), samples_for(m), QConfig(calibrate_mode=mode), rules)
    assert {made.rule_at(v) for v in ("biased", "sum", "pooled", "y")} == {
        "bias_add", "residual_add_onto_accumulator", "mean", "matmul",
    }  # fmt: skip
    found = scales(made.simulated)
    assert found
    assert all(np.all(np.frexp(s)[0] == 0.5) for s in found)
    assert error(made, m) < 0.1


def test_calibrated_scales_are_rounded_up_by_less_than_two() -> None:
    m = residual()
    plain = staged(m, samples_for(m), rules=before_stock(POWERS.replace("pow2", ""))).numbers.scale
    for symbol, scale in staged(m, samples_for(m), rules=before_stock(POWERS)).numbers.scale.items():
        assert np.all(scale >= plain[symbol]), symbol
        assert np.all(scale < 2 * plain[symbol]), symbol


def scaled(factor: float) -> IRModule:
    """conv -> times a factor -> conv."""
    net = Net()
    c = net.conv(net.input(1, 4, 6, 6), 4, 1, "c")
    r = net.emit(nn.relu(c), "r")
    return net.module(net.conv(net.emit(relax.op.multiply(r, constant(factor)), "y"), 4, 1, "d"))


@pytest.mark.parametrize(("factor", "rule"), [(0.25, "scale_by_constant"), (0.3, "multiply_constant")])
def test_a_factor_that_is_no_power_of_two_is_no_change_of_scale(factor: float, rule: str) -> None:
    m = scaled(factor)
    made = staged(m, samples_for(m), QConfig(fold_batch_norm=False), before_stock(POWERS))
    assert made.rule_at("y") == rule
    assert error(made, m) < 0.1
    tried = {a.rule: a.reason for a in made.decision("y").attempts if not a.fired}
    if rule == "multiply_constant":
        assert "no power of two" in tried["scale_by_constant"]


def test_a_value_on_another_kind_of_scale_is_converted() -> None:
    """A power-of-two reader does not take codes whose scale is any number."""
    text = """
    scheme loose = int8 symmetric per_tensor

    rule max_pool
        match     y = nn.max_pool2d(x)
        annotate  x as loose
                  y like x
        realize   y = nn.max_pool2d(x, **y)
    """
    net = Net()
    pooled = net.emit(nn.max_pool2d(net.input(1, 4, 6, 6), (2, 2)), "pooled")
    m = net.module(net.conv(pooled, 4, 1, "c"))
    made = staged(m, samples_for(m), rules=before_stock(POWERS + text))
    assert {"x.loose", "pooled.act"} <= set(made.numbers.scale)


def biased(size: float) -> IRModule:
    net = Net()
    x = net.input(1, 3, 4, 4)
    c = net.emit(nn.conv2d(x, net.const(2, 3, 1, 1)), "c")
    return net.module(net.emit(relax.op.add(c, constant(np.reshape([size, -0.3], (1, 2, 1, 1)))), "y"))


def with_bias(scheme: str, powers: bool) -> RuleSet:
    text = BIASED.format(scheme=scheme, sum=BIASES[scheme])
    return before_stock((POWERS if powers else "") + text)


@pytest.mark.parametrize("scheme", BIASES)
@pytest.mark.parametrize("powers", [False, True], ids=["any scale", "powers of two"])
def test_a_bias_of_16_bits_raises_the_weights_scale(scheme: str, powers: bool) -> None:
    made = staged(m := biased(500.0), samples_for(m), rules=with_bias(scheme, powers))
    assert made.rule_at("y") == "bias_add"
    (factor,) = made.numbers.raised.values()
    assert factor > 1
    (codes,) = [
        array_of(a)
        for b in main_graph(made.integer).bindings
        for a in getattr(b.value, "args", ())
        if is_constant(a) and array_of(a).shape == (1, 2, 1, 1) and array_of(a).dtype != np.float32
    ]
    largest = int(np.max(np.abs(codes.astype(np.int64))))
    assert largest <= 2**15 - 1
    if powers:
        assert np.frexp(factor)[0] == 0.5
        assert largest > 2**13, "raised by no more than two powers further than need be"
    else:
        assert largest > 2**15 * 0.999, "raised as far as need be, no further"
    assert error(made, m) < 0.01


@pytest.mark.parametrize("scheme", BIASES)
def test_a_small_bias_leaves_the_scale_alone(scheme: str) -> None:
    made = staged(m := biased(0.5), samples_for(m), rules=with_bias(scheme, False))
    assert not made.numbers.raised


def test_options_for_activations_leave_the_bias_alone() -> None:
    made = staged(m := biased(0.5), samples_for(m), QConfig(nbit_input=6), with_bias(next(iter(BIASES)), False))
    (site,) = [b.value for b in main_graph(made.annotated).bindings if dialect.is_call(b.value, "simulated_quantize")
               and dialect.attributes(b.value)["scheme"] == "bias"]  # fmt: skip
    assert dialect.attributes(site)["bits"] == 16
