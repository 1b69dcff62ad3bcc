"""Errors along the network: what the model computes under its scales beside the float model, sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.lower.executable import Executable
from qdsl.match.graph import dtype_of
from qdsl.passes.probe import Probe
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sites import underneath
from qdsl.passes.solve import Numbers
from qdsl.report import Output
from qdsl.session.measure import Difference
from qdsl.session.result import Result

Sample = Mapping[str, NDArray[np.generic]]


def operator_values(module: IRModule) -> list[relax.Var]:
    """The float32 values that operators of the model itself make, in program order."""
    graph = main_graph(module)
    return [
        b.var
        for b in graph.bindings
        if not dialect.is_call(b.value) and not isinstance(b.value, relax.Var) and dtype_of(b.var) == "float32"
    ]


def float_outputs(module: IRModule) -> list[relax.Var]:
    """The values that the outputs stand for, seen through our own identities."""
    graph = main_graph(module)
    values = [underneath(graph, o) for o in graph.outputs]
    return [v for v in values if isinstance(v, relax.Var)]


def measure(
    result: Result,
    probes: tuple[Probe, Probe],
    numbers: Numbers,
    final: Executable,
    samples: Sequence[Sample],
    told: Callable[[int], None],
) -> tuple[dict[str, Difference], list[Output]]:
    """The accumulated error of every operator's value (simulated), and of the outputs (as compiled).

    `probes` are the float model and the model with its constants rounded.
    """
    exact, rounded = probes
    names = [str(v.name) for v in operator_values(result.annotated)]
    ends = [str(v.name) for v in float_outputs(result.annotated)]
    errors = {n: Difference() for n in names}
    outputs = [Difference() for _ in ends]
    originals = {i.variable or i.name: i.name for i in result.loaded.inputs}
    settings = rounded.settings(numbers)
    for done, sample in enumerate(samples):
        truth, made = exact.float(sample), rounded.simulated(sample, settings)
        for name in names:
            errors[name].add(truth[name], made[name])
        given = final.run({originals[n]: a for n, a in sample.items()})
        for difference, name, array in zip(outputs, ends, given.values(), strict=True):
            difference.add(truth[name], array)
        told(done + 1)
    rows = [
        Output(name, d.sqnr_db, d.cosine, d.greatest) for name, d in zip(result.loaded.outputs, outputs, strict=True)
    ]
    return errors, rows
