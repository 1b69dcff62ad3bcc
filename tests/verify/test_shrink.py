"""Counterexamples lose what they do not need."""

from __future__ import annotations

import numpy as np

from qdsl.verify.operands import Operand
from qdsl.verify.shrink import smaller_inputs

ACT = Operand("x", (4, 8), "float32", None, np.asarray(0.25).reshape(()), 100, 0, 255, "act")


def test_one_code_is_left_and_it_is_near_zero() -> None:
    codes = np.random.default_rng(0).integers(0, 256, ACT.shape)
    codes[2, 5] = 250

    def still(inputs: dict[str, np.ndarray]) -> bool:
        return bool(ACT.codes(inputs["x"])[2, 5] > 120)

    shrunk = ACT.codes(smaller_inputs({"x": ACT.real(codes)}, (ACT,), still)["x"])
    assert np.count_nonzero(shrunk != 100) == 1
    assert 120 < shrunk[2, 5] <= 138, "halved until it no longer shows"


def test_an_operand_that_does_not_matter_becomes_zero() -> None:
    other = Operand("y", (3,), "float32")
    inputs = {"x": ACT.real(np.full(ACT.shape, 7)), "y": np.ones(3, np.float32)}
    shrunk = smaller_inputs(inputs, (ACT, other), lambda i: bool(i["y"][1] > 0.3))
    assert np.all(ACT.codes(shrunk["x"]) == 100)
    assert list(np.flatnonzero(shrunk["y"])) == [1]


def test_indices_are_left_alone_and_runs_are_counted() -> None:
    ids = Operand("ids", (4,), "int64", 5)
    runs = []

    def still(inputs: dict[str, np.ndarray]) -> bool:
        runs.append(1)
        return False

    inputs = {"ids": np.arange(4), "x": ACT.real(np.full(ACT.shape, 7))}
    shrunk = smaller_inputs(inputs, (ids, ACT), still, runs=10)
    assert np.array_equal(shrunk["ids"], inputs["ids"])
    assert np.array_equal(shrunk["x"], inputs["x"])
    assert len(runs) <= 10
