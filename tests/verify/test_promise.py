"""The words for what is off."""

from __future__ import annotations

import numpy as np
import pytest

from qdsl.realize.values import Numbers
from qdsl.verify.promise import Broken, judge

STEP = 0.5
WIDE = Numbers(np.asarray(STEP), 0, None, "int32", -(2**31), 2**31 - 1)
NARROW = Numbers(np.asarray(STEP), 3, None, "uint8", 0, 255)
REFERENCE = np.arange(4 * 5 * 5, dtype=np.float32).reshape(1, 4, 5, 5) * STEP


def judged(made: np.ndarray, format: Numbers | None = WIDE, roundings: int = 1) -> Broken | None:
    return judge(made.astype(np.float32), REFERENCE, format, roundings)


def promise(made: np.ndarray, format: Numbers | None = WIDE) -> str:
    found = judged(made, format)
    assert found is not None
    return found.promise


def test_half_a_step_is_a_rounding() -> None:
    assert judged(REFERENCE + 0.5 * STEP) is None
    assert judged(REFERENCE + 0.52 * STEP) is not None
    assert judged(REFERENCE + 0.9 * STEP, roundings=2) is None


def test_whole_wraps_are_an_overflow() -> None:
    made = REFERENCE.copy()
    made[0, 1, 2, 2:4] -= 256 * STEP
    assert promise(made) == "overflow"
    made[0, 0, 0, 0] -= 100 * STEP
    assert promise(made) == "value"


def test_only_the_edge_is_a_border() -> None:
    made = REFERENCE.copy()
    made[:, :, 0] += 7
    made[:, 2, 3, -1] += 9
    assert promise(made) == "border"
    made[0, 0, 2, 2] += 7
    assert promise(made) == "value"


@pytest.mark.parametrize("factors", [(1, 2, 4, 8), (1, 1, 3, 1)])
def test_a_factor_a_channel_is_a_channel(factors: tuple[int, ...]) -> None:
    made = REFERENCE * np.asarray(factors, np.float32).reshape(1, 4, 1, 1)
    assert promise(made) == "channel"


def test_one_factor_for_all_is_a_value() -> None:
    assert promise(REFERENCE * 2) == "value"


def test_beyond_the_format_is_saturation() -> None:
    reference = np.linspace(0, 200, 50, dtype=np.float32)
    codes = np.round(reference / STEP).astype(np.int64) + 3
    wrapped = ((codes % 256) - 3) * STEP
    found = judge(wrapped.astype(np.float32), reference, NARROW, 1)
    assert found is not None
    assert found.promise == "saturation"
    clipped = (np.clip(codes, 0, 255) - 3) * STEP
    assert judge(clipped.astype(np.float32), reference, NARROW, 1) is None


def test_a_fixed_format_promises_to_hold_its_results() -> None:
    fixed = Numbers(np.asarray(1 / 256), 0, None, "uint8", 0, 255, "fixed")
    reference = np.linspace(-1, 1, 9, dtype=np.float32)
    made = np.clip(np.round(reference * 256), 0, 255) / 256
    found = judge(made.astype(np.float32), reference, fixed, 1)
    assert found is not None
    assert (found.promise, found.index) == ("saturation", (0,))


def test_not_a_number_is_wrong_where_the_reference_is_one() -> None:
    made = REFERENCE.copy()
    made[0, 0, 0, 0] = np.nan
    found = judged(made)
    assert found is not None
    assert np.isinf(found.steps)
    assert judge(made, np.full_like(REFERENCE, np.inf), WIDE, 1) is None, "it says nothing"
