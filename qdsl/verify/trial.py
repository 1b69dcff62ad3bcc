"""One scene under one style of numbers: compiled, run, and compared with the float operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl.errors import BuildError, QdslError
from qdsl.lang.program import Program
from qdsl.lower.evaluator import with_results
from qdsl.passes.calibrate import write_numbers
from qdsl.passes.realize import Pair, realize_beside
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sites import Site, find_sites
from qdsl.passes.solve import Numbers, solve
from qdsl.ruletest.plain import Plain, compile_plain
from qdsl.verify.chosen import ChosenRanges
from qdsl.verify.operands import Operand, operands_of, samples
from qdsl.verify.scene import Scene

Array = NDArray[Any]
Sample = Mapping[str, Array]


class Unsupported(Exception):
    """The float operator itself cannot be compiled in this form."""


class Unrealizable(Exception):
    """The realize clause does not give what its mark says, or nothing that can be compiled."""


@dataclass(frozen=True)
class Trial:
    """A scene that can be run."""

    scene: Scene
    style: int
    operands: tuple[Operand, ...]
    inputs: tuple[Sample, ...]
    pairs: tuple[Pair, ...]
    runnable: Plain
    simulated: IRModule

    def run(self, sample: Sample) -> list[tuple[Pair, Array, Array]]:
        """For each result (what it is, integer result dequantized, float result)."""
        values = list(self.runnable.run(sample).values())
        return list(zip(self.pairs, values[::2], values[1::2], strict=True))


def trials(
    program: Program, scene: Scene, styles: Sequence[int], seed: int = 0, *, uniform: bool = False
) -> Iterator[Trial]:
    """The scene under some styles of numbers, or with one scale for all channels. Raises Unsupported and
    Unrealizable."""
    assert scene.annotated is not None
    graph = main_graph(scene.annotated)
    sites = find_sites(graph)
    float_values = _float_values(scene.annotated, sites)
    for style in styles:
        ranges = ChosenRanges(seed, style, uniform=uniform)
        operands = operands_of(graph.function.params, scene.bounds, sites, solve(sites, ranges))
        inputs = tuple(samples(operands, np.random.default_rng([seed, style, 1])))
        observed = _observe(float_values, inputs)
        numbers = solve(sites, ChosenRanges(seed, style, observed, uniform))
        yield _trial(program, scene, style, operands, inputs, numbers)


def _float_values(module: IRModule, sites: list[Site]) -> Plain:
    """All values that numbers may follow from, and the outputs, in float. Raises Unsupported."""
    values = {v for s in sites for v in (s.value, *s.read) if isinstance(v, relax.Var)}
    values |= {v for v in main_graph(module).outputs if isinstance(v, relax.Var)}
    try:
        return compile_plain(with_results(module, {str(v.name): v for v in values}))
    except BuildError as error:
        raise Unsupported(str(error)) from error


def _observe(runnable: Plain, inputs: tuple[Sample, ...]) -> dict[str, tuple[float, float]]:
    """Least and greatest of each value, 0 included."""
    found: dict[str, tuple[float, float]] = {}
    for sample in inputs:
        for name, array in runnable.run(sample).items():
            finite = array[np.isfinite(array)]
            low, high = found.get(name, (0.0, 0.0))
            found[name] = min(low, float(finite.min(initial=0.0))), max(high, float(finite.max(initial=0.0)))
    return found


def _trial(
    program: Program,
    scene: Scene,
    style: int,
    operands: list[Operand],
    inputs: tuple[Sample, ...],
    numbers: Numbers,
) -> Trial:
    assert scene.annotated is not None
    try:
        simulated = write_numbers(scene.annotated, numbers)
        module, pairs = realize_beside(simulated, program.rules, program.defs, scene.item.name)
        runnable = compile_plain(module)
    except QdslError as error:
        raise Unrealizable(str(error)) from error
    except Exception as error:
        # What a wrong clause makes of its operands is refused by TVM in words of its own.
        lines = [line for line in str(error).splitlines() if line.strip()]
        raise Unrealizable(f"{type(error).__name__}: {lines[-1].strip() if lines else ''}") from error
    return Trial(scene, style, tuple(operands), inputs, tuple(pairs), runnable, simulated)
