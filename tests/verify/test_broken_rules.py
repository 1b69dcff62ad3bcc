"""Broken rules are found, each by the promise that it breaks, though nobody asked the checker."""

from __future__ import annotations

import numpy as np
import pytest

from qdsl.verify import Failure, verify

from .conftest import Rules

CONVOLUTION = """
    rule broken for conv in {ops}
        match     y = conv(x, w)
        when      constant(w)
        annotate  x as act
                  w as weight[{axis}]
                  y as acc[C] = x.scale * w.scale
        realize   y = {realize}
"""

BORDER_OF_ZERO = CONVOLUTION.format(
    ops="nn.conv2d",
    axis="O",
    realize="conv(x, w, **y, out_dtype=int32)"
    " - reshape(x.zero * sum(astype(w, int32), axis=[1, 2, 3]), shape=[1, -1, 1, 1])",
)
"""The zero point is taken off afterwards, as if it had been in the padding too; the padding is a literal 0."""

BROKEN = {
    "the border is padded with a literal 0": (BORDER_OF_ZERO, "border"),
    "the zero point is never taken off": (
        CONVOLUTION.format(ops="nn.conv2d", axis="O", realize="conv(x, w, **y, out_dtype=int32)"),
        "value",
    ),
    "a relu against 0": (
        "rule broken match y = nn.relu(x) annotate y like x realize y = maximum(x, 0)",
        "value",
    ),
    "the weight's scale along its inputs": (
        CONVOLUTION.format(ops="nn.conv1d", axis="I", realize="conv(centered(x), w, **y, out_dtype=int32)"),
        "channel",
    ),
    "a matmul's scale along what is summed": (
        """
        rule broken
            match     y = matmul(x, w)
            when      constant(w) and rank(w) == 2
            annotate  x as act
                      w as weight[K]
                      y as acc[N] = x.scale * w.scale
            realize   y = matmul(centered(x), w, out_dtype=int32)
        """,
        "channel",
    ),
    "a bias on another scale": (
        """
        rule broken
            match     y = add{x, b}
            when      constant(b) and spans(b, x)
            annotate  x as acc
                      b as acc = x.scale * 2
                      y like x
            realize   y = x + b
        """,
        "value",
    ),
    "a bias in 8 bits of its own": (
        """
        rule broken
            match     y = add{x, b}
            when      constant(b) and spans(b, x)
            annotate  x as acc
                      b as act
                      y like x
            realize   y = x + astype(centered(b), int32)
        """,
        "value",
    ),
    "an average that truncates": (
        """
        rule broken
            match     y = nn.avg_pool2d(x)
            when      wanted(y)
            annotate  x as act
                      y as wide = x.scale
            realize   y = astype(nn.avg_pool2d(astype(centered(x), int32), **y), int32)
        """,
        "value",
    ),
    "a product in 8 or 16 bits": (
        """
        rule broken
            match     y = multiply(a, b)
            when      not constant(a) and not constant(b)
            annotate  a, b as act
                      y as wide = a.scale * b.scale
            realize   y = astype(centered(a) * centered(b), int32)
        """,
        "overflow",
    ),
    "a fixed result that does not hold the function": (
        "rule broken match y = tanh(x) annotate x as float y as fixed(scale=0.00390625, zero=0)",
        "saturation",
    ),
    "a sum narrowed without saturation": (
        """
        rule broken
            match     y = add(a, b)
            when      not constant(a) and not constant(b)
            annotate  a, b, y as act
            realize   y = astype(rescale(a, y.scale) + rescale(b, y.scale) + y.zero, uint8)
        """,
        "saturation",
    ),
    "an operand that is left out": (
        """
        rule broken
            match     y = add(a, b)
            when      not constant(a) and not constant(b)
            annotate  a, b as act
                      y as wide
            realize   y = rescale(a, y.scale) + rescale(a, y.scale)
        """,
        "value",
    ),
    "a clause of another shape": (
        "rule broken match y = nn.relu(x) annotate x as act y like x realize y = reshape(x, shape=[-1])",
        "clause",
    ),
    "a clause of another dtype": (
        "rule broken match y = nn.relu(x) annotate x as act y like x realize y = astype(maximum(x, x.zero), int32)",
        "clause",
    ),
}


def only(rules: Rules, text: str) -> Failure:
    (failure,) = verify(rules(text)).failures
    return failure


@pytest.mark.parametrize("name", BROKEN)
def test_the_promise_that_breaks_is_named(rules: Rules, name: str) -> None:
    text, promise = BROKEN[name]
    failure = only(rules, text)
    assert failure.promise == promise, failure.text()
    assert failure.text().startswith(f"{failure.span}: broken")
    if promise != "clause":
        assert failure.broken is not None
        assert failure.broken.steps > 0.5


def test_the_counterexample_of_a_border_is_all_zeros(rules: Rules) -> None:
    """The smallest input that shows it: nothing but zero points, 3 by 3, and a border that is not 0."""
    failure = only(rules, BORDER_OF_ZERO)
    (x,) = failure.operands
    assert x.shape == (1, 1, 3, 3)
    assert np.all(x.codes(failure.inputs["x"]) == x.zero)
    assert failure.broken is not None
    assert failure.broken.expected == 0.0
    assert 0 in failure.broken.index[2:] or 2 in failure.broken.index[2:]


def test_the_counterexample_of_a_relu_is_one_code_below_zero(rules: Rules) -> None:
    failure = only(rules, BROKEN["a relu against 0"][0])
    (x,) = failure.operands
    codes = x.codes(failure.inputs["x"])
    assert codes.size <= 2
    assert sorted(codes.reshape(-1) - x.zero) == [-1, 0]
    assert "expected code 131 (0), got code 130 (-0.03125)" in failure.text()


def test_the_counterexample_of_an_average_is_one_window(rules: Rules) -> None:
    failure = only(rules, BROKEN["an average that truncates"][0])
    assert failure.operands[0].shape == (1, 1, 2, 2)
    assert failure.broken is not None
    assert 0.5 < failure.broken.steps < 1.0, "truncating a quarter of a sum loses up to three quarters"


def test_what_the_checker_says_of_scales_is_among_the_findings(rules: Rules) -> None:
    report = verify(rules(BROKEN["a relu against 0"][0]))
    assert [d.code for d in report.typed] == ["Q0306"]
    assert not report.sound
