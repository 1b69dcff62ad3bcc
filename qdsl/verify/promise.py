"""Which promise of a rule broke: told from where and by how much its results are off.

    saturation   only where the float result lies beyond the format, or the format does not hold what is promised
    overflow     by whole multiples of 2^8, 2^16 or 2^32 codes: an intermediate wrapped round
    border       only at places whose window reaches over the edge
    channel      by one factor a channel, or in some channels only: a scale or a vector lies along another axis
    value        anything else

In this order, so that the most telling word is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.realize.values import Numbers
from qdsl.ruletest.worst import step_of, steps_off

Array = NDArray[Any]

WRAPS = (2.0**32, 2.0**16, 2.0**8)
SLACK = 2.0**-6
"""Of a step: how far a correct rounding may be from a tie and still go the other way (see numerics.requantize)."""
TELLING = 2.0
"""Steps below which where an error stands tells nothing: it is a rounding."""
FLOAT_STEPS = 4.0
"""Steps that a float result may be off: it comes from 8-bit numbers, but a sum of them has no step of its own."""


@dataclass(frozen=True)
class Broken:
    """A result that is off."""

    promise: str
    steps: float
    index: tuple[int, ...]
    """The element that is furthest off."""
    expected: float
    got: float


def judge(
    made: Array, reference: Array, format: Numbers | None, roundings: int, magnitude: float = 0.0
) -> Broken | None:
    """What is wrong with a result, or None.

    `roundings` is how many the rule makes, half a step each; `magnitude` that of intermediate values. A reference
    that is not finite says nothing.
    """
    if not np.all(np.isfinite(reference)):
        return None
    off = _beyond_fixed(reference, format)
    if off is None:
        off = steps_off(made, reference, format, magnitude)
    tolerance = 0.5 * max(roundings, 1) + SLACK if format is not None else FLOAT_STEPS
    wrong = off > tolerance
    if not bool(wrong.any()):
        return None
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))
    promise = (
        "value"
        if float(off[index]) < TELLING
        else _promise(wrong, np.asarray(made, np.float64), np.asarray(reference, np.float64), format)
    )
    return Broken(promise, float(off[index]), index, float(reference[index]), float(made[index]))


def _beyond_fixed(reference: Array, format: Numbers | None) -> NDArray[np.float64] | None:
    """Steps by which results leave a `fixed` format, which promises to hold them; None where they do not."""
    if format is None or format.scheme != "fixed":
        return None
    codes = np.asarray(reference, np.float64) / format.scale + format.zero
    beyond = np.maximum(np.maximum(format.low - codes, codes - format.high), 0.0)
    return beyond if float(beyond.max(initial=0.0)) > 1.0 else None


def _promise(
    wrong: NDArray[np.bool_], made: NDArray[np.float64], reference: NDArray[np.float64], format: Numbers | None
) -> str:
    step = step_of(reference, format)
    difference = np.where(wrong, (made - reference) / step, 0.0)
    if format is not None:
        codes = reference / step + format.zero
        if bool(np.all((codes < format.low - 0.5) | (codes > format.high + 0.5), where=wrong)):
            return "saturation"
    if format is not None and any(_multiples(difference[wrong], wrap) for wrap in WRAPS):
        return "overflow"
    if _only_at_border(wrong):
        return "border"
    return "channel" if _by_channel(wrong, made, reference) else "value"


def _multiples(difference: NDArray[np.float64], wrap: float) -> bool:
    """Whether all differences are whole, nonzero multiples of a wrap."""
    turns = np.rint(difference / wrap)
    return bool(np.all(turns != 0) and np.all(np.abs(difference - turns * wrap) <= 1.0 + 1e-6 * np.abs(difference)))


def _only_at_border(wrong: NDArray[np.bool_]) -> bool:
    """Whether all wrong elements touch the edge of the pixels, which stand behind the channels or before them, and
    there is an inside."""
    return any(_only_at_edges(wrong, axes) for axes in (range(2, wrong.ndim), range(1, wrong.ndim - 1)))


def _only_at_edges(wrong: NDArray[np.bool_], axes: range) -> bool:
    edge = np.zeros(wrong.shape, bool)
    for axis in axes:
        at = np.moveaxis(edge, axis, 0)
        at[0], at[-1] = True, True
    return bool(edge.any()) and not bool(edge.all()) and not bool(np.any(wrong & ~edge))


def _by_channel(wrong: NDArray[np.bool_], made: NDArray[np.float64], reference: NDArray[np.float64]) -> bool:
    """Whether the error is one factor along some axis, not the same for all; or whole channels are right."""
    for axis in range(wrong.ndim):
        if wrong.shape[axis] < 2:
            continue
        moved = [np.moveaxis(a, axis, 0).reshape(wrong.shape[axis], -1) for a in (wrong, made, reference)]
        factors = [_factor(w, m, r) for w, m, r in zip(*moved, strict=True)]
        if any(f is None for f in factors):
            continue
        told = [f for f in factors if f is not None and np.isfinite(f)]
        if len(told) >= 2 and float(np.ptp(told)) > 1e-3 * max(abs(t) for t in told):
            return True
    return False


def _factor(wrong: NDArray[np.bool_], made: NDArray[np.float64], reference: NDArray[np.float64]) -> float | None:
    """made / reference in a channel: one number (1 where it is right), infinite where it cannot be told, or None."""
    if not bool(wrong.any()):
        return 1.0
    largest = float(np.abs(reference).max())
    telling = np.abs(reference) > 1e-2 * largest
    if largest == 0.0 or not bool(telling.any()):
        return None
    ratios = made[telling] / reference[telling]
    return float(np.median(ratios)) if float(np.ptp(ratios)) <= 2e-2 * float(np.abs(ratios).max()) else None
