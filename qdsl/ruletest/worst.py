"""Errors of a rule or a fold, measured: how many steps, and where the worst element is.

An error is measured where the rule is: the integer result, dequantized, against the float operator on the very
operands that the rule read. In steps of the result's scale, after what float32 itself cannot resolve is taken off:
the float operator rounds to float32 as it goes, and a sum of n products carries an error of about sqrt(n) units in
the last place of its largest partial sum; 8 units are allowed for, of the largest value in the result (in its channel,
where scales are per channel).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.lang import tree
from qdsl.passes.realize import realize_beside
from qdsl.realize.host import along_axis
from qdsl.realize.values import Numbers
from qdsl.ruletest.outcome import Outcome
from qdsl.ruletest.plain import compile_plain

Array = NDArray[Any]

FLOAT32_UNITS = 8
"""Units in the last place of the largest magnitude that are put down to float32, not to the rule."""
FLOAT_STEPS = 255.0
"""A float result has no step of its own: one is its range over so many."""
FOLD_STEP = 2.0**-20
"""The step of a fold: this much of the largest output, a few of float32's own roundings."""


@dataclass(frozen=True)
class Worst:
    """The element that is furthest off."""

    steps: float
    index: tuple[int, ...] = ()
    expected: float = 0.0
    got: float = 0.0
    sample: int = 0

    def __str__(self) -> str:
        place = f"[{', '.join(map(str, self.index))}]"
        return f"at {place} of sample {self.sample}: expected {self.expected:.9g}, got {self.got:.9g}"


NONE = Worst(0.0)


def rule_error(outcome: Outcome, rule: tree.Rule) -> Worst:
    """The greatest error of a rule's applications, in steps of its result's scale."""
    program = outcome.rules.program
    module, pairs = realize_beside(outcome.simulated, program.rules, program.defs, rule.name)
    runnable = compile_plain(module)
    found = [NONE]
    for number, sample in enumerate(outcome.samples):
        values = list(runnable.run(sample).values())
        for pair, made, reference in zip(pairs, values[::2], values[1::2], strict=True):
            found.append(replace(worst_element(made, reference, pair.format), sample=number))
    return max(found, key=lambda w: w.steps)


def fold_error(outcome: Outcome) -> Worst:
    """The greatest difference that folding made, in steps of 2^-20 of the largest output."""
    before, after = compile_plain(outcome.given), compile_plain(outcome.folded)
    found = [NONE]
    for number, sample in enumerate(outcome.samples):
        for b, a in zip(before.run(sample).values(), after.run(sample).values(), strict=True):
            step = max(float(np.max(np.abs(b), initial=0.0)), float(np.finfo(np.float32).tiny)) * FOLD_STEP
            off = np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64)) / step
            found.append(replace(_at_greatest(off, b, a), sample=number))
    return max(found, key=lambda w: w.steps)


def worst_element(made: Array, reference: Array, format: Numbers | None) -> Worst:
    """The element of a result that is most steps off. Values of the reference beyond the format saturate first."""
    return _at_greatest(steps_off(made, reference, format), clipped(reference, format), made)


def steps_off(made: Array, reference: Array, format: Numbers | None, magnitude: float = 0.0) -> NDArray[np.float64]:
    """|made - reference| in steps for every element, less what float32 cannot resolve; infinite where `made` is not
    finite and the reference is. `magnitude` is that of intermediate values, where they are larger than the results."""
    expected, got = clipped(reference, format), np.asarray(made, np.float64)
    step = step_of(reference, format)
    largest = np.maximum(_largest(np.abs(reference), format), magnitude)
    noise = FLOAT32_UNITS * np.spacing(largest.astype(np.float32)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.abs(got - expected) - noise, 0.0) / step
    off = np.where(np.isnan(off), np.where(np.isfinite(expected), np.inf, 0.0), off)
    return np.asarray(np.broadcast_to(off, got.shape))


def _largest(magnitudes: Array, format: Numbers | None) -> NDArray[np.float64]:
    """The largest of some magnitudes, along the channels of a format that has them."""
    if format is None or format.axis is None:
        return np.asarray(np.max(magnitudes, initial=0.0), np.float64)
    others = tuple(a for a in range(magnitudes.ndim) if a != format.axis)
    return np.asarray(np.max(magnitudes, axis=others, initial=0.0, keepdims=True), np.float64)


def step_of(reference: Array, format: Numbers | None) -> NDArray[np.float64]:
    """The size of a step, shaped to broadcast against the result."""
    if format is not None:
        return along_axis(format.scale, format.axis, np.ndim(reference))
    spread = float(np.ptp(reference)) if np.size(reference) else 0.0
    return np.asarray(max(spread / FLOAT_STEPS, float(np.finfo(np.float32).tiny)))


def clipped(reference: Array, format: Numbers | None) -> NDArray[np.float64]:
    """The reference within the range of a format: what lies outside of it saturates, by the format, not by the rule."""
    exact = np.asarray(reference, np.float64)
    if format is None:
        return exact
    step = along_axis(format.scale, format.axis, exact.ndim)
    return np.asarray(np.clip(exact, (format.low - format.zero) * step, (format.high - format.zero) * step))


def _at_greatest(off: NDArray[np.float64], expected: Array, got: Array) -> Worst:
    if off.size == 0:
        return NONE
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))
    return Worst(float(off[index]), index, float(expected[index]), float(got[index]))
