"""Errors along the network: the simulated module's values beside the float model's, sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.lower.evaluator import Evaluator
from qdsl.match.graph import dtype_of
from qdsl.passes.rebuild import main_graph
from qdsl.session.measure import Difference

Sample = Mapping[str, NDArray[np.generic]]
Run = Callable[[Sample], Mapping[str, NDArray[np.generic]]]


def operator_values(module: IRModule) -> list[relax.Var]:
    """The float32 values that operators of the model itself make, in program order."""
    graph = main_graph(module)
    return [
        b.var
        for b in graph.bindings
        if not dialect.is_call(b.value) and not isinstance(b.value, relax.Var) and dtype_of(b.var) == "float32"
    ]


def errors_by_value(
    float_run: Run, simulated: IRModule, values: Sequence[relax.Var], samples: Iterable[Sample], limit: int
) -> dict[str, Difference]:
    """The accumulated error of each value over the first `limit` samples, by the value's name."""
    names = [str(v.name) for v in values]
    evaluator = Evaluator(simulated, names)
    found = {name: Difference() for name in names}
    for sample in islice(samples, limit):
        reference, made = float_run(sample), evaluator.run(sample)
        for name in names:
            found[name].add(reference[name], made[name])
    return found
