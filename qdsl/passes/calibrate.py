"""Calibrate: numbers for the scales of an annotated module, from one pass over the samples.

The annotated module computes what the float model computes, so its own values are observed; what is kept of each is a
sketch whose size does not depend on how many samples there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.passes.rebuild import Emit, main_graph, rebuild_function, with_operands
from qdsl.passes.sites import Site, find_sites, is_weight
from qdsl.passes.solve import Numbers

Sample = Mapping[str, NDArray[np.generic]]
Observe = Callable[[str, NDArray[np.generic]], None]


def values_to_observe(module: IRModule) -> list[relax.Var]:
    """The values whose ranges an annotated module asks for, in program order, each once."""
    graph = main_graph(module)
    wanted: dict[relax.Var, None] = {}
    for site in find_sites(graph):
        if site.symbol is None or is_weight(site):
            continue
        for value in (site.value, *(site.read if site.format.scheme.is_accumulator else ())):
            if isinstance(value, relax.Var):
                wanted[value] = None
    return list(wanted)


def observe_samples(
    run: Callable[[Sample], Mapping[str, NDArray[np.generic]]], samples: Iterable[Sample], observe: Observe
) -> int:
    """Runs every sample once and shows each value of it to `observe`; the number of samples."""
    count = 0
    for sample in samples:
        for name, array in run(sample).items():
            observe(name, array)
        count += 1
    return count


def write_numbers(module: IRModule, numbers: Numbers) -> IRModule:
    """The annotated module with its scales and zero points filled in: from here on it computes with their rounding."""
    graph = main_graph(module)
    sites = {site.var: site for site in find_sites(graph)}

    def write(emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        became: dict[relax.Var, relax.Expr] = {}
        for binding in graph.bindings:
            value = with_operands(binding.value, lambda o, _: became.get(o, o) if isinstance(o, relax.Var) else o)
            site = sites.get(binding.var)
            if site is not None:
                value = _with_numbers(value, site, numbers)
            became[binding.var] = emit(value, str(binding.var.name))
        return became

    return rebuild_function(module, graph, write)


def _with_numbers(call: relax.Call, site: Site, numbers: Numbers) -> relax.Call:
    scale, zero = numbers.of(site)
    attrs = dialect.attributes(call)
    axis = attrs.pop("axis", None)
    labels = {k: v for k, v in attrs.items() if k not in ("dtype", "low", "high", "zero")}
    kept = {"dtype": attrs["dtype"], "low": attrs["low"], "high": attrs["high"], "span": call.span}
    along = axis if scale.ndim else None
    if site.is_edge:
        return dialect.simulated_quantize(call.args[0], scale, zero, axis=along, **kept, **labels)
    captures = dialect.captures_of(call)
    return dialect.annotated(call.args[0], captures, scale, zero, axis=along, **kept, **labels)


def sites_of(module: IRModule) -> Sequence[Site]:
    """The sites of an annotated module."""
    return find_sites(main_graph(module))
