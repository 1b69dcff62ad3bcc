"""The lines of `expect`, one function each.

An error is measured where the rule is: the integer result, dequantized, against the float operator on the very
operands that the rule read. In steps of the result's scale, after what float32 itself cannot resolve is taken off:
the float operator rounds to float32 as it goes, and a sum of n products carries an error of about sqrt(n) units in
the last place of its largest partial sum; 8 units are allowed for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.lower.compile import compile as compile_module
from qdsl.match.facts import axis_of_letter
from qdsl.passes.plan import Firing
from qdsl.passes.realize import realize_beside
from qdsl.realize.host import along_axis
from qdsl.realize.values import Numbers
from qdsl.ruletest.outcome import Outcome

FLOAT32_UNITS = 8
"""Units in the last place of the largest magnitude that are put down to float32, not to the rule."""
Samples = Sequence[Mapping[str, NDArray[np.generic]]]


def judge_skips(expected: tree.Skips, item: tree.Rule | tree.Fold, outcome: Outcome) -> Iterator[str]:
    """`skips "term"`: the rule does not fire, and that very term is the one that failed."""
    if outcome.fired(item):
        yield f"{item.name} fired, and `{expected.term}` was expected to fail"
        return
    wanted = "".join(expected.term.split())
    refused = outcome.refusals(item)
    if not refused:
        yield f"{item.name} was not refused by `{expected.term}`: {outcome.why_not(item)}"
    elif not any("".join(a.term.split()) == wanted for a in refused):
        seen = ", ".join(dict.fromkeys(a.reason for a in refused))
        yield f"{item.name} was refused, but not by `{expected.term}`: {seen}"


def judge_mark(expected: tree.ExpectMark, item: tree.Rule | tree.Fold, outcome: Outcome) -> Iterator[str]:
    """`mark NAME as spec`: what the name was read or made as."""
    firings = outcome.firings(item) if isinstance(item, tree.Rule) else []
    if not firings:
        yield f"{expected.name} has no mark, because {item.name} did not fire"
        return
    seen = [describe_mark(f, expected.name) for f in firings]
    if not any(_marked(f, expected) for f in firings):
        yield f"{expected.name} is {seen[0]}, and `{unparse(expected.spec)}` was expected"


def describe_mark(firing: Firing, name: str) -> str:
    format = _format(firing, name)
    return "float" if format is None else str(format)


def _format(firing: Firing, name: str) -> object:
    if name in firing.results:
        return firing.results[name][0]
    reads = firing.reads.get(name)
    return reads[0].format if reads else None


def _marked(firing: Firing, expected: tree.ExpectMark) -> bool:
    format, spec = _format(firing, expected.name), expected.spec
    if isinstance(spec, tree.FloatSpec) or format is None:
        return isinstance(spec, tree.FloatSpec) and format is None
    if isinstance(spec, tree.AnySpec):
        return True
    scheme, axis = getattr(format, "scheme", None), getattr(format, "axis", None)
    if isinstance(spec, tree.FixedSpec):
        return scheme is not None and scheme.name == "fixed"
    if scheme is None or scheme.name != spec.scheme:
        return False
    return spec.axis is None or axis == axis_of_letter(firing.match, expected.name, spec.axis)


def error_in_steps(outcome: Outcome, rule: tree.Rule, samples: Samples) -> float:
    """The greatest error of a rule's applications, in steps of its result's scale."""
    program = outcome.rules.program
    module, pairs = realize_beside(outcome.simulated, program.rules, program.defs, rule.name)
    runnable = compile_module(module)
    worst = 0.0
    for sample in samples:
        values = list(runnable.run(sample).values())
        for pair, made, reference in zip(pairs, values[::2], values[1::2], strict=True):
            worst = max(worst, steps_between(made, reference, pair.format))
    return worst


def steps_between(made: NDArray[np.generic], reference: NDArray[np.generic], format: Numbers | None) -> float:
    """The greatest |made - reference| in steps, beyond what float32 cannot resolve.

    A float result has no step of its own: it is measured in 1/255 of the reference's range.
    """
    r, m = np.asarray(reference, np.float64), np.asarray(made, np.float64)
    largest = float(np.max(np.abs(r), initial=0.0))
    if format is None:
        step = np.asarray(max(float(np.ptp(r)) / 255.0, np.finfo(np.float32).tiny))
    else:
        step = along_axis(format.scale, format.axis, r.ndim)
        low, high = (format.low - format.zero) * step, (format.high - format.zero) * step
        r = np.clip(r, low, high)  # what lies outside the calibrated range saturates: that is the format, not the rule
    noise = FLOAT32_UNITS * float(np.spacing(np.float32(largest)))
    return float(np.max(np.maximum(np.abs(m - r) - noise, 0.0) / step, initial=0.0))


def fold_error(outcome: Outcome, samples: Samples) -> float:
    """The greatest difference that folding made, in units of float32's resolution at the largest output (2^-20 of
    it)."""
    before, after = compile_module(outcome.given), compile_module(outcome.folded)
    worst = 0.0
    for sample in samples:
        for b, a in zip(before.run(sample).values(), after.run(sample).values(), strict=True):
            scale = max(float(np.max(np.abs(b), initial=0.0)), np.finfo(np.float32).tiny) * 2.0**-20
            worst = max(worst, float(np.max(np.abs(np.asarray(b, np.float64) - a), initial=0.0)) / scale)
    return worst
