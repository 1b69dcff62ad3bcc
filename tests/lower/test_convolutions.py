"""Convolution kernels against numpy: integers to the bit, floats to the rounding of their sums."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from qdsl import lower

from .reference import Case

EXACT = [
    Case(1, 13, 17, 5, 7, (3, 3), padding=(1, 1, 1, 1)),
    Case(2, 9, 11, 3, 33, (5, 5), stride=2, padding=(0, 1, 1, 2), zero=113),
    Case(3, 7, 7, 65, 126, (1, 1), zero=128),
    Case(1, 37, 37, 16, 24, (1, 1)),
    Case(1, 12, 23, 24, 24, (3, 1), padding=(2, 0, 2, 0), dilation=2),
    Case(1, 1, 5, 1, 1, (1, 1)),
    Case(1, 15, 13, 24, 40, (5, 5), padding=(2, 2, 2, 2), data="int8"),
    Case(2, 8, 9, 8, 16, (3, 3), padding=(1, 0, 2, 1), data="int8", zero=-7),
    Case(1, 8, 9, 4, 5, (2, 3), data="int16"),
    Case(1, 9, 9, 12, 20, (3, 3), padding=(1, 1, 1, 1), groups=4, zero=3),
    Case(1, 9, 9, 64, 64, (3, 3), padding=(1, 1, 1, 1), groups=2, zero=255),
    Case(1, 14, 14, 48, 48, (1, 1), stride=2, groups=3),
    Case(1, 15, 13, 7, 14, (3, 3), stride=2, padding=(1, 1, 1, 1), groups=7, zero=77),
    Case(2, 15, 13, 24, 24, (5, 5), padding=(2, 2, 2, 2), groups=24),
    Case(1, 6, 7, 512, 512, (3, 3), padding=(1, 1, 1, 1), groups=512, data="int8", zero=-1),
]


def run(case: Case, target: str | None = None) -> np.ndarray:
    executable = lower.compile(case.module(), target=target, threads=2 if case.batch > 1 else 1)
    return executable.run({"x": case.arrays()[0]})["y"]


@pytest.mark.parametrize("case", EXACT, ids=str)
def test_integers_are_exact(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "qdsl.lower"):
        result = run(case)
    np.testing.assert_array_equal(result, case.expected())
    assert "does not fit" not in caplog.text, "a kernel fell back to the unscheduled function"


@pytest.mark.parametrize("target", ["avx2", "portable"])
@pytest.mark.parametrize("case", [EXACT[1], EXACT[6], EXACT[9], EXACT[12]], ids=str)
def test_other_targets_are_exact(case: Case, target: str) -> None:
    np.testing.assert_array_equal(run(case, target), case.expected())


@pytest.mark.parametrize(
    "case",
    [
        Case(2, 9, 11, 3, 33, (5, 5), stride=2, padding=(0, 1, 1, 2), data="float32"),
        Case(1, 19, 19, 16, 24, (1, 1), data="float32"),
        Case(1, 15, 13, 7, 14, (3, 3), padding=(1, 1, 1, 1), groups=7, data="float32"),
    ],
    ids=str,
)
def test_floats_are_right_to_rounding(case: Case) -> None:
    # A sum of n products of numbers of about 1, in any order: error below n * 2^-24 times the sum of magnitudes.
    terms = case.inputs // case.groups * case.kernel[0] * case.kernel[1] + 1
    magnitude = float(np.abs(case.arrays()[0]).max() * np.abs(case.arrays()[1]).max()) * terms
    np.testing.assert_allclose(run(case), case.expected(), rtol=0, atol=terms * 2.0**-24 * magnitude)


def test_sums_wrap_only_beyond_32_bits() -> None:
    """The extremes 255 * -128 and 255 * 127 do not saturate on the way."""
    case = Case(1, 3, 3, 64, 16, (3, 3))
    data, weights, _ = case.arrays()
    module = case.module()
    executable = lower.compile(module)
    extreme = np.full_like(data, 255)
    bias = case.arrays()[2].astype(np.int64)
    expected = 255 * weights.astype(np.int64).sum(axis=(1, 2, 3)) + bias
    np.testing.assert_array_equal(executable.run({"x": extreme})["y"].reshape(-1), expected)
