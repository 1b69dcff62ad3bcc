"""Faults that users of other quantizers met, where rules decide: what has to hold beside small errors."""

from __future__ import annotations

import numpy as np
import pytest

from qdsl.config import QConfig

from .networks import BN, NETWORKS, NORM, P, W, X
from .whole import Whole, conversions, quantized


def known(name: str) -> Whole:
    return quantized(NETWORKS[name].text)


def test_a_value_is_narrowed_once_for_all_of_its_readers() -> None:
    assert len(known("a value used three times").narrowed("r")) == 1


def test_matches_that_touch_narrow_what_lies_between_once() -> None:
    assert len(known("two matches that touch").narrowed("r")) == 1


def test_a_shared_weight_stays_one_and_each_use_has_a_bias_of_its_own() -> None:
    whole = known("one weight and one bias for two inputs")
    assert len(whole.weights("int8")) == 2
    left, right = (bias for bias in whole.weights("int32") if bias.size > 1)
    np.testing.assert_allclose(left, 4 * right, rtol=0, atol=2.5)


def test_a_value_is_narrowed_behind_its_clip() -> None:
    whole = quantized(f"{X}{W}c = multiply(nn.conv2d(x, w, {P}), 50)\nr = clip(c, 0, 6)\ny = nn.conv2d(r, v)")
    (edge,) = [e for e in whole.edges() if str(e.value.name) != "x"]
    assert str(edge.value.name) == "r"
    assert whole.made.numbers.of(edge)[0] == pytest.approx(6 / 255, rel=0.001)


def test_moves_keep_the_scale_they_found() -> None:
    """The input twice (for the convolution, and on the join's scale), the join's other part once, then no more."""
    found = conversions(known("joined, split and reshaped").made.integer)
    assert found == {"quantize": 2, "requantize": 1, "dequantize": 2}


def test_a_second_reader_is_not_clipped() -> None:
    whole = quantized(f"{X}{W}c = nn.conv2d(x, w, {P})\nr = nn.relu(c)\ny = nn.conv2d(r, v)\nz = add(c, 1)")
    clipped, whole_range = whole.sqnr()
    assert min(clipped, whole_range) >= whole.floor()


def test_probabilities_in_8_bits_are_never_made() -> None:
    whole = quantized(
        "x: float32[1, 6, 8]\nwq: const float32[8, 8]\nwv: const float32[8, 8]\nq = matmul(x, wq)\nv = matmul(x, wv)\n"
        "s = multiply(matmul(q, permute_dims(x, axes=[0, 2, 1])), 0.1)\ny = matmul(nn.softmax(s, axis=-1), v)"
    )
    assert whole.rules().split()[-3:] == ["scale_by_constant", "attention_values", "attention_values"]
    assert "nn.softmax" not in whole.operators()
    assert whole.sqnr()[0] >= whole.floor()


@pytest.mark.parametrize(
    "gamma", ["gamma * 0", "-abs(gamma)", "exp(3 * gamma)"], ids=["zero", "negative", "very uneven"]
)
def test_any_gamma_is_folded(gamma: str) -> None:
    norm = BN.replace("gamma,", f"{gamma},")
    whole = quantized(
        f"{X}{W}{NORM}c = nn.conv2d(x, w, {P})\ny, _, _ = nn.batch_norm(c, {norm})\nz = nn.conv2d(nn.relu(y), v)"
    )
    assert whole.rules() == "convolution bias_add relu convolution"
    assert whole.drift() <= 1
    assert whole.sqnr()[0] >= whole.floor()


def test_two_norms_on_one_weight_make_two_weights() -> None:
    whole = quantized(
        f"{X}{W}{NORM}a, _, _ = nn.batch_norm(nn.conv2d(x, w, {P}), {BN})\n"
        f"d, _, _ = nn.batch_norm(nn.conv2d(x, w, {P}), beta, gamma, mu, 0.5 + square(var), axis=1, training=False)"
    )
    assert whole.rules() == "convolution bias_add convolution bias_add"
    assert len(whole.weights("int8")) == 2
    assert min(whole.sqnr()) >= whole.floor()


def test_a_norm_on_a_weight_that_another_convolution_reads_leaves_that_one_alone() -> None:
    whole = quantized(
        f"{X}{W}{NORM}a = nn.conv2d(x, w, {P})\nc = nn.conv2d(nn.relu(a), w, {P})\ny, _, _ = nn.batch_norm(c, {BN})"
    )
    assert whole.rules() == "convolution relu convolution bias_add"
    assert whole.sqnr()[0] >= whole.floor()


def test_an_operator_inside_a_pattern_can_be_left_in_float() -> None:
    text = f"{X}{W}c = nn.conv2d(x, w, {P})\ns = add(c, x)\nr = nn.relu(s)\ny = nn.conv2d(r, v)"
    assert quantized(text).rules() == "convolution residual_add_onto_accumulator relu convolution"
    left = quantized(text, config=QConfig(skip=("s",)))
    assert left.rules() == "convolution - - convolution"
    assert left.drift() <= 1
    assert left.sqnr()[0] >= left.floor()


def test_the_border_of_a_convolution_is_zero_whatever_the_zero_point() -> None:
    """All-ones weights: each output is a sum of inputs, and the border's codes must add nothing to it."""
    whole = quantized(
        f"{X}w: const float32[1, 4, 3, 3]\ny = nn.conv2d(3 + nn.relu(x), w * 0 + 1, padding=[0, 1, 1, 2])"
    )
    (edge,) = whole.edges()
    step, zero = whole.made.numbers.of(edge)
    assert whole.error()[0] <= 36 * 0.5 * step * 1.001
    low = quantized(f"{X}w: const float32[1, 4, 3, 3]\ny = nn.conv2d(x - 5, w * 0 + 1, padding=[0, 1, 1, 2])")
    (edge,) = low.edges()
    step, zero = low.made.numbers.of(edge)
    assert zero > 128
    assert low.error()[0] <= 36 * 0.5 * step * 1.001


@pytest.mark.parametrize("included", ["True", "False"])
def test_averages_are_over_the_true_count(included: str) -> None:
    values = np.array([[5, 5], [5, 5]]), np.array([[1, 2], [2, 2]]), np.array([[-1, -2], [-2, -2]])
    samples = [{"x": np.tile(v, (2, 2)).reshape(1, 1, 4, 4).astype("float32")} for v in values]
    whole = quantized(
        "x: float32[1, 1, 4, 4]\nw: const float32[1, 1, 1, 1]\nc = nn.conv2d(x, w * 0 + 1)\n"
        f"a = nn.avg_pool2d(c, pool_size=[2, 2], {P}, count_include_pad={included})\ny = nn.conv2d(a, w * 0 + 1)",
        samples,
    )
    assert whole.rules() == "convolution average_pool convolution"
    steps = sum(float(whole.made.numbers.of(e)[0]) for e in whole.edges())
    assert whole.error()[0] <= steps / 2 * 1.001 + 7 * 0.5 / 127 / 255


def test_a_dead_part_of_a_join_takes_the_scale_of_the_others() -> None:
    whole = quantized(
        f"{X}{W}u: const float32[4, 8, 1, 1]\nd = nn.relu(nn.conv2d(x, w, {P}) * 0)\nj = concat([d, x], axis=1)\n"
        "y = nn.conv2d(j, u)"
    )
    assert whole.drift() <= 1
    assert whole.sqnr()[0] >= whole.floor()


def test_a_bias_far_beyond_its_weights_still_fits() -> None:
    whole = quantized(f"{X}{W}y = add(nn.conv2d(x, w * 0.0000001, {P}), 5 * b)")
    assert whole.rules() == "convolution bias_add"
    (bias,) = whole.weights("int32")
    assert np.max(np.abs(bias)) <= 2**29
    assert whole.sqnr()[0] > 100


def test_a_sum_that_may_overflow_is_left_in_float_by_name() -> None:
    whole = quantized("x: float32[1, 140000]\nw: const float32[140000, 1]\ny = matmul(x, square(w) * 0 + 1)")
    (decision,) = whole.made.decided.plan.decisions
    assert decision.rule is None
    assert "140000" in decision.reason


def test_a_model_of_nothing_that_begins_integers_stays_float() -> None:
    whole = quantized(f"{X}y = sigmoid(nn.max_pool2d(nn.relu(x), pool_size=[2, 2]) + 1)")
    assert set(whole.rules().split()) == {"-"}
    assert whole.error() == [0.0]
