"""Whole networks, written as the `given` of a test, through every stage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.config import QConfig
from qdsl.lang import tree
from qdsl.lang.parse import parse_text
from qdsl.match.graph import array_of, is_constant, operator_name
from qdsl.passes.calibrate import sites_of
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sites import Site
from qdsl.ruletest.given import build_given

from ..passes.forced import compare
from ..passes.interpreter import outputs, run
from ..passes.staged import Staged, samples_for, staged

Array = NDArray[Any]
Sample = Mapping[str, Array]


def network(text: str) -> IRModule:
    """The module that some lines of a `given` clause describe. Its constants depend on the text alone."""
    file, found = parse_text(f'test network "network"\ngiven\n{indent(text, "  ")}\nexpect fires\n', "network.qrule")
    assert file is not None, [d.message for d in found]
    (item,) = file.items
    assert isinstance(item, tree.Test)
    return build_given(item, {})


@dataclass(frozen=True)
class Whole:
    """A network after all stages, and the samples that it was calibrated on."""

    module: IRModule
    samples: Sequence[Sample]
    made: Staged

    def rules(self) -> str:
        """The rules that took the operators, in program order; `-` for one that stays in float."""
        return " ".join(d.rule or "-" for d in self.made.decided.plan.decisions)

    def edges(self) -> list[Site]:
        """The places where computed values are narrowed, in program order."""
        sites = sites_of(self.made.simulated)
        return [s for s in sites if s.is_edge and not is_constant(s.value)]

    def narrowed(self, name: str) -> list[Site]:
        """The places where one value is narrowed."""
        return [s for s in self.edges() if isinstance(s.value, relax.Var) and str(s.value.name) == name]

    def operators(self) -> list[str]:
        """The operators of the integer module, in order."""
        named = [operator_name(b.value) for b in main_graph(self.made.integer).bindings]
        return [n for n in named if n is not None]

    def weights(self, dtype: str) -> list[Array]:
        """The constants of one dtype in the integer module, each object once."""
        found: dict[int, Array] = {}
        for binding in main_graph(self.made.integer).bindings:
            for operand in getattr(binding.value, "args", ()):
                if is_constant(operand) and str(operand.ty.dtype) == dtype:
                    found.setdefault(int(operand.__chandle__()), array_of(operand))
        return list(found.values())

    def drift(self) -> float:
        """The most that an integer value differs from the simulated one, in steps of its scale."""
        found = [c for sample in self.samples for c in compare(self.made.simulated, self.made.rules, sample)]
        return max(c.steps for c in found)

    def sqnr(self) -> list[float]:
        """SQNR of each output of the integer module against float, in dB."""
        truth, seen = self._outputs()
        return [decibels(np.mean(t * t), np.mean((t - s) ** 2)) for t, s in zip(truth, seen, strict=True)]

    def error(self) -> list[float]:
        """The greatest difference of each output from float."""
        truth, seen = self._outputs()
        return [float(np.max(np.abs(t - s))) for t, s in zip(truth, seen, strict=True)]

    def _outputs(self) -> tuple[list[Array], list[Array]]:
        truth = [outputs(self.module, s) for s in self.samples]
        seen = [outputs(self.made.integer, s) for s in self.samples]
        return [np.stack(v) for v in zip(*truth, strict=True)], [np.stack(v) for v in zip(*seen, strict=True)]

    def floor(self) -> float:
        """The SQNR that the network's roundings explain, less 6 dB.

        A rounding to steps of s adds noise of s^2 / 12 to a value of power p. Behind linear operators relative noise
        stays what it is, and independent noises add up: 1 / SQNR = sum of s^2 / 12 / p over all that is narrowed to 8
        bits. A part of a join is noise to the join, which its scale is named after. The 6 dB are for what is not linear
        and for sums that cancel.
        """
        simulated = [run(self.made.simulated, sample) for sample in self.samples]
        noise = 0.0
        for site in sites_of(self.made.simulated):
            if not site.is_edge or site.format.scheme.is_accumulator:
                continue
            step, _ = self.made.numbers.of(site)
            name = str(site.format.scale).rpartition(".")[0]
            values = [array_of(site.value)] if is_constant(site.value) else [r[name] for r in simulated]
            power = float(np.mean([np.mean(np.square(v, dtype=np.float64)) for v in values]))
            noise += float(np.mean(step * step)) / 12 / max(power, 1e-30)
        return decibels(1.0, noise) - 6


def decibels(signal: float, noise: float) -> float:
    return 10 * math.log10(signal / noise) if noise > 0 else math.inf


def quantized(
    text: str, samples: Sequence[Sample] | None = None, config: QConfig | None = None, spread: float = 1.0
) -> Whole:
    """A network through every stage, calibrated on the samples (normal numbers where there are none)."""
    module = network(text)
    samples = samples if samples is not None else samples_for(module, spread=spread)
    return Whole(module, samples, staged(module, samples, config))


def conversions(module: IRModule) -> dict[str, int]:
    """How often each of our conversions stands in a module."""
    found: dict[str, int] = {}
    for binding in main_graph(module).bindings:
        if dialect.is_call(binding.value, "quantize", "requantize", "dequantize"):
            name = str(operator_name(binding.value)).removeprefix("qdsl.")
            found[name] = found.get(name, 0) + 1
    return found
