"""Verifying one rule: every operator of its `for` list, in small graphs of its own pattern, against the float
operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.match.pattern import Compiled
from qdsl.passes.realize import Pair
from qdsl.verify.choose import Chooser
from qdsl.verify.chosen import STYLES
from qdsl.verify.failure import Failure
from qdsl.verify.promise import Broken, judge
from qdsl.verify.scene import Scene, Stage
from qdsl.verify.shrink import smaller_choices, smaller_inputs
from qdsl.verify.trial import Trial, Unrealizable, Unsupported, trials

Array = NDArray[Any]

ROUNDING = frozenset({"requantize", "rescale", "affine", "lookup", "average", "level", "round"})
"""Builders and operators that round, by half a step at most."""


@dataclass
class Verified:
    """What came of one rule or fold for one operator of its `for` list."""

    item: tree.Rule | tree.Fold
    op: str | None
    scenes: int = 0
    cases: int = 0
    """Graphs run, each under its numbers and operands."""
    failure: Failure | None = None
    unsupported: list[str] = field(default_factory=list)
    """Why graphs could not be compiled even in float."""
    refused: list[str] = field(default_factory=list)
    """Where no graph could be made: what was in the way."""

    @property
    def tried(self) -> bool:
        return self.cases > 0 or self.failure is not None


def verify_rule(program: Program, rule: tree.Rule, most: int, seed: int = 0) -> list[Verified]:
    """A rule under each operator of its `for` list, in up to `most` graphs each; the first failure ends an operator."""
    stage = Stage(program, rule)
    return [_verify(stage, compiled, most, seed) for compiled in stage.compiled()]


def _verify(stage: Stage, compiled: Compiled, most: int, seed: int) -> Verified:
    result = Verified(stage.item, compiled.op)
    stage.refused.clear()
    unrealizable: Failure | None = None
    for number, scene in enumerate(stage.scenes(compiled, most, seed)):
        result.scenes += 1
        try:
            failure, cases = first_failure(stage.program, scene, _styles(number), seed)
        except Unsupported as reason:
            result.unsupported.append(str(reason))
            continue
        result.cases += cases
        if failure is not None and failure.promise == "clause":
            # A wrong number in another graph says more than that this one cannot be built.
            unrealizable = unrealizable or failure
        elif failure is not None:
            result.failure = smallest(stage, compiled, failure, seed)
            break
    if result.failure is None and unrealizable is not None:
        result.failure = smallest(stage, compiled, unrealizable, seed)
    result.refused = list(stage.refused)
    return result


def _styles(number: int) -> tuple[int, ...]:
    """All kinds of numbers for the first graph, two for each further one."""
    return tuple(range(STYLES)) if number == 0 else (number % STYLES, (number + 1) % STYLES)


def first_failure(program: Program, scene: Scene, styles: tuple[int, ...], seed: int) -> tuple[Failure | None, int]:
    """The first promise that breaks in a scene, and how many runs were made. Raises Unsupported."""
    assert isinstance(scene.item, tree.Rule)
    cases = 0
    roundings = count_roundings(scene.item)
    try:
        for trial in trials(program, scene, styles, seed):
            for inputs in trial.inputs:
                cases += 1
                found = broken(trial, inputs, roundings)
                if found is not None:
                    failure = _failure(trial, inputs, *found)
                    return _blamed_on_channels(program, failure, roundings, seed), cases
    except Unrealizable as reason:
        return Failure(scene.item, "clause", scene, str(reason)), cases
    return None, cases


def _blamed_on_channels(program: Program, failure: Failure, roundings: int, seed: int) -> Failure:
    """The failure, its promise told as `channel` where one scale for all channels makes it go away."""
    per_channel = failure.format is not None and failure.format.scale.ndim > 0
    if failure.promise != "value" or not per_channel:
        return failure
    for trial in trials(program, failure.scene, (failure.style,), seed, uniform=True):
        if any(broken(trial, inputs, roundings) is not None for inputs in trial.inputs):
            return failure
    return replace(failure, promise="channel")


def broken(trial: Trial, inputs: Mapping[str, Array], roundings: int) -> tuple[Pair, Broken] | None:
    """The first result of a run that is off."""
    magnitude = _magnitude(trial.scene.item, inputs)
    for pair, made, reference in trial.run(inputs):
        found = judge(made, reference, pair.format, roundings, magnitude)
        if found is not None:
            return pair, found
    return None


def _magnitude(rule: tree.Rule | tree.Fold, inputs: Mapping[str, Array]) -> float:
    """How large intermediate values are: a function of x cancels digits of x, not of its result (1 + erf(x) far below
    zero)."""
    if not isinstance(rule, tree.Rule) or not calls(rule, "lookup"):
        return 0.0
    return max((float(np.max(np.abs(a), initial=0.0)) for a in inputs.values() if a.dtype.kind == "f"), default=0.0)


def _failure(trial: Trial, inputs: Mapping[str, Array], pair: Pair, found: Broken) -> Failure:
    return Failure(
        trial.scene.item, found.promise, trial.scene, "", found, pair.format, trial.operands, dict(inputs), trial.style
    )


def count_roundings(rule: tree.Rule) -> int:
    """How often a rule's clause rounds."""
    return sum(calls(rule, name) for name in ROUNDING)


def calls(rule: tree.Rule, name: str) -> int:
    """How often a rule's clause calls a builder or an operator."""
    nodes = [n for b in rule.realize or () for n in tree.walk(b)]
    return sum(isinstance(n, tree.Call) and n.func == name for n in nodes)


def smallest(stage: Stage, compiled: Compiled, failure: Failure, seed: int) -> Failure:
    """The same broken promise in a smaller graph, on plainer operands."""
    scene = failure.scene
    for choices in smaller_choices(scene.choices, scene.asked):
        smaller = stage.scene(compiled, Chooser(choices))
        if smaller is None:
            continue
        try:
            found, _ = first_failure(stage.program, smaller, tuple(range(STYLES)), seed)
        except Unsupported:
            continue
        if found is not None and found.promise == failure.promise:
            failure = found
            break
    return failure if failure.broken is None else _plainest(stage.program, failure, seed)


def _plainest(program: Program, failure: Failure, seed: int) -> Failure:
    assert isinstance(failure.item, tree.Rule)
    roundings = count_roundings(failure.item)
    for trial in trials(program, failure.scene, (failure.style,), seed):

        def still(inputs: Mapping[str, Array], trial: Trial = trial) -> bool:
            found = broken(trial, inputs, roundings)
            same = ("value", "channel") if failure.promise == "channel" else (failure.promise,)
            return found is not None and found[1].promise in same

        if not still(failure.inputs):
            continue
        inputs = smaller_inputs(failure.inputs, trial.operands, still)
        found = broken(trial, inputs, roundings)
        if found is not None:
            return replace(_failure(trial, inputs, *found), promise=failure.promise)
    return failure
