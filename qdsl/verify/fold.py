"""Verifying one fold: the graph before and after it, in float.

Folding reorders sums and rounds new constants to float32, so results differ by a few of float32's own roundings; what
is allowed is 2^-15 of the largest result of a run, some hundred of them. A fold that forgets an epsilon, a term or a
training-mode norm is off by far more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.errors import QdslError
from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.match.pattern import Compiled
from qdsl.passes.fold import FoldTrace, fold_module
from qdsl.passes.rebuild import main_graph
from qdsl.passes.solve import Numbers
from qdsl.ruletest.plain import Plain, compile_plain
from qdsl.verify.choose import Chooser
from qdsl.verify.failure import Failure
from qdsl.verify.operands import Operand, operands_of, samples
from qdsl.verify.promise import Broken
from qdsl.verify.rule import Verified
from qdsl.verify.scene import Scene, Stage
from qdsl.verify.shrink import smaller_choices, smaller_inputs

Array = NDArray[Any]

ALLOWED = 2.0**-15
"""Of the largest result of a run."""
STEP = 2.0**-20
"""What an error of a fold is told in, as in tests of folds."""


def verify_fold(program: Program, fold: tree.Fold, most: int, seed: int = 0) -> list[Verified]:
    """A fold under each operator of its `for` list, in up to `most` graphs each."""
    stage = Stage(program, fold)
    return [_verify(stage, compiled, most, seed) for compiled in stage.compiled()]


def _verify(stage: Stage, compiled: Compiled, most: int, seed: int) -> Verified:
    result = Verified(stage.item, compiled.op)
    stage.refused.clear()
    for scene in stage.scenes(compiled, most, seed):
        result.scenes += 1
        try:
            before = compile_plain(scene.module)
        except QdslError as reason:
            result.unsupported.append(str(reason))
            continue
        failure, cases = _first_failure(stage.program, scene, before, seed)
        result.cases += cases
        if failure is not None:
            result.failure = _smallest(stage, compiled, failure, seed)
            break
    result.refused = list(stage.refused)
    return result


def _first_failure(program: Program, scene: Scene, before: Plain, seed: int) -> tuple[Failure | None, int]:
    after = _folded(program, scene)
    if after is None:
        return None, 0
    if isinstance(after, Failure):
        return after, 0
    operands = _operands(scene)
    cases = 0
    for inputs in samples(operands, np.random.default_rng(seed)):
        cases += 1
        found = _difference(before, after, inputs)
        if found is not None:
            return Failure(scene.item, "fold", scene, "", found, None, tuple(operands), inputs), cases
    return None, cases


def _folded(program: Program, scene: Scene) -> Plain | Failure | None:
    """The graph after the fold, compiled; None where it was not applied after all."""
    assert isinstance(scene.item, tree.Fold)
    trace = FoldTrace()
    try:
        folded = fold_module(scene.module, [scene.item], program.defs, trace)
        return compile_plain(folded) if trace.applied else None
    except QdslError as error:
        return Failure(scene.item, "clause", scene, str(error))
    except Exception as error:
        # What a wrong rewrite makes is refused by TVM in words of its own.
        lines = [line for line in str(error).splitlines() if line.strip()]
        return Failure(scene.item, "clause", scene, f"{type(error).__name__}: {lines[-1].strip() if lines else ''}")


def _operands(scene: Scene) -> list[Operand]:
    return operands_of(main_graph(scene.module).function.params, scene.bounds, [], Numbers())


def _difference(before: Plain, after: Plain, inputs: Mapping[str, Array]) -> Broken | None:
    for b, a in zip(before.run(inputs).values(), after.run(inputs).values(), strict=True):
        if not np.all(np.isfinite(b)):
            continue
        largest = max(float(np.max(np.abs(b), initial=0.0)), float(np.finfo(np.float32).tiny))
        off = np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64))
        off = np.where(np.isnan(off), np.inf, off)
        if float(off.max(initial=0.0)) > ALLOWED * largest:
            index = tuple(int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))
            return Broken("fold", float(off[index]) / (largest * STEP), index, float(b[index]), float(a[index]))
    return None


def _smallest(stage: Stage, compiled: Compiled, failure: Failure, seed: int) -> Failure:
    for choices in smaller_choices(failure.scene.choices, failure.scene.asked):
        scene = stage.scene(compiled, Chooser(choices))
        if scene is None:
            continue
        try:
            found, _ = _first_failure(stage.program, scene, compile_plain(scene.module), seed)
        except QdslError:
            continue
        if found is not None and found.promise == failure.promise:
            failure = found
            break
    if failure.broken is None:
        return failure
    before, after = compile_plain(failure.scene.module), _folded(stage.program, failure.scene)
    if not isinstance(after, Plain):
        return failure
    shown = smaller_inputs(failure.inputs, failure.operands, lambda i: _difference(before, after, i) is not None)
    found_again = _difference(before, after, shown)
    return Failure(failure.item, "fold", failure.scene, "", found_again, None, failure.operands, shown)
