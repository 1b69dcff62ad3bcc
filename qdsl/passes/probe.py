"""The probe: an annotated module compiled once, whose scales and zero points are given with each run.

Calibration runs it with none (it is the float model), the report with all (the simulated model), and a question such
as "what does this operator cost alone" with some. So all of them need one compilation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.lower.evaluator import Evaluator
from qdsl.match.graph import array_of, is_constant
from qdsl.passes.annotate import bounds
from qdsl.passes.rebuild import Emit, fresh_name, main_graph, rebuild_function, with_operands
from qdsl.passes.sites import Site, find_sites
from qdsl.passes.solve import Numbers
from qdsl.realize.host import along_axis

Sample = Mapping[str, NDArray[np.generic]]
Values = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class _Knob:
    """One conversion of at most 16 bits: its site, and the parameters that carry its numbers."""

    site: Site
    scale: relax.Var
    zero: relax.Var


@dataclass
class Probe:
    """Runs an annotated module under any numbers."""

    evaluator: Evaluator
    knobs: tuple[_Knob, ...]
    _off: Values = field(default_factory=dict)

    def __post_init__(self) -> None:
        for knob in self.knobs:
            self._off[str(knob.scale.name)] = np.zeros(_shape(knob.scale), np.float32)
            self._off[str(knob.zero.name)] = np.zeros((), np.float32)

    def float(self, sample: Sample) -> Values:
        """The values of the float model."""
        return self.evaluator.run({**sample, **self._off})

    def simulated(self, sample: Sample, settings: Values) -> Values:
        """The values under some settings (see `settings`)."""
        return self.evaluator.run({**sample, **settings})

    def settings(self, numbers: Numbers, only: Collection[relax.Var] | None = None) -> Values:
        """The numbers of all conversions, or of those of `only` (variables of sites); the others are switched off."""
        chosen = dict(self._off)
        for knob in self.knobs:
            if only is not None and knob.site.var not in only:
                continue
            scale, zero = numbers.of(knob.site)
            shape = _shape(knob.scale)
            chosen[str(knob.scale.name)] = np.broadcast_to(np.asarray(scale, np.float32), shape).copy()
            chosen[str(knob.zero.name)] = np.asarray(zero, np.float32)
        return chosen


@dataclass(frozen=True)
class Constants:
    """What a probe makes of constants that are narrowed: left as they are, or rounded once and for all.

    Either way they stay constants, for which a target has fast kernels; as knobs they would be computed with each run.
    """

    numbers: Numbers | None = None
    """None: left as they are."""

    def of(self, site: Site) -> relax.Expr:
        if self.numbers is None:
            return site.value
        scale, zero = self.numbers.of(site)
        array = np.asarray(array_of(site.value), np.float64)
        step = along_axis(np.asarray(scale, np.float64), site.format.axis, array.ndim)
        low, high = bounds(site.format)
        return relax.const(((np.clip(np.round(array / step) + zero, low, high) - zero) * step).astype(np.float32))


def make_probe(module: IRModule, values: Collection[str], constants: Constants | None = None) -> Probe:
    """Compiles an annotated module for the values of these names; without `constants` they have knobs of their own.

    Raises BuildError where it cannot be compiled.
    """
    graph = main_graph(module)
    sites = {s.var: s for s in find_sites(graph) if s.format.dtype != "int32" or _is_bias(s, constants)}
    taken = {str(p.name) for p in graph.function.params} | {str(v.name) for v in graph.order}
    knobs: list[_Knob] = []

    def write(emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        became: dict[relax.Var, relax.Expr] = {}
        for binding in graph.bindings:
            value = with_operands(binding.value, lambda o, _: became.get(o, o) if isinstance(o, relax.Var) else o)
            site = sites.get(binding.var)
            if site is not None and constants is not None and is_constant(site.value):
                became[binding.var] = constants.of(site)
                continue
            if site is not None:
                knob = _knob(site, value.args[0], taken)
                knobs.append(knob)
                attrs = dialect.attributes(binding.value)
                value = dialect.probe(
                    value.args[0], knob.scale, knob.zero, dtype=attrs["dtype"], low=attrs["low"], high=attrs["high"],
                    axis=attrs.get("axis"),
                )  # fmt: skip
            elif dialect.is_call(value, "annotated", "simulated_quantize"):
                became[binding.var] = value.args[0]
                continue
            became[binding.var] = emit(value, str(binding.var.name))
        return became

    def parameters() -> list[relax.Var]:
        return [v for k in knobs for v in (k.scale, k.zero)]

    written = rebuild_function(module, graph, write, more_parameters=parameters)
    return Probe(Evaluator(written, list(values)), tuple(knobs))


def _is_bias(site: Site, constants: Constants | None) -> bool:
    """Whether a site is a constant on an accumulator's scale that is to be rounded with the others."""
    return constants is not None and site.is_edge and is_constant(site.value)


def _knob(site: Site, operand: relax.Expr, taken: set[str]) -> _Knob:
    shape = [int(d) for d in operand.ty.shape.values]
    axis = site.format.axis
    scale_type = relax.TensorType(() if axis is None else (shape[axis],), "float32")
    name = str(site.var.name)
    return _Knob(
        site,
        relax.Var(fresh_name(f"{name}_scale", taken), scale_type),
        relax.Var(fresh_name(f"{name}_zero", taken), relax.TensorType((), "float32")),
    )


def _shape(var: relax.Var) -> tuple[int, ...]:
    return tuple(int(d) for d in var.ty.shape.values)
