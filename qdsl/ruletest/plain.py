"""Small graphs compiled quickly: no fusion, no schedules, no optimization, and no kernel compiled twice.

A test of a rule asks what the rule says, not how fast it runs, and it asks that of hundreds of graphs that differ in
nothing but their numbers. So constants become parameters before anything is compiled, and a graph that was seen before
under other numbers is run at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from numpy.typing import NDArray
from tvm import IRModule, relax
from tvm.relax.backend.cpu_generic import pipeline as cpu_generic

from qdsl.errors import BuildError
from qdsl.lower.executable import Executable
from qdsl.lower.export import quiet
from qdsl.lower.signature import signature_of
from qdsl.match.graph import array_of, is_constant
from qdsl.passes.rebuild import Emit, fresh_name, main_graph, rebuild_function, with_operands

Values = Mapping[str, NDArray[Any]]
CHECKED_ALREADY = {"tirx.disable_assert": True}
"""Kernels need not check their arguments again: Executable does, and these checks are most of their code."""
KEPT = 512
"""Compiled graphs that are kept; the one unused for longest goes first."""


@dataclass(frozen=True)
class Plain:
    """A compiled graph with the names and the constants that belong to it."""

    executable: Executable
    """Its names are numbers, since it may have been compiled for another module of the same form."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: tuple[NDArray[Any], ...]

    def run(self, inputs: Values) -> dict[str, NDArray[Any]]:
        """Outputs by name, in the order in which the module gives them. Raises DataError for inputs that do not
        fit."""
        arrays = [*(inputs[name] for name in self.inputs), *self.constants]
        made = self.executable.run({f"i{n}": array for n, array in enumerate(arrays)})
        return dict(zip(self.outputs, made.values(), strict=True))


def compile_plain(module: IRModule) -> Plain:
    """Compiles the function `main` of a small module. Raises BuildError with TVM's last word where that fails."""
    try:
        with _target(), tvm.transform.PassContext(opt_level=0, config=CHECKED_ALREADY):
            with quiet():
                legalized = relax.transform.LegalizeOps()(module)
            lifted, constants = lift_constants(legalized)
            executable = _compiled(lifted)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        last = lines[-1] if lines else type(error).__name__
        raise BuildError(f"this graph cannot be compiled: {last}") from error
    face = signature_of(module)
    return Plain(executable, tuple(i.name for i in face.inputs), tuple(o.name for o in face.outputs), tuple(constants))


def lift_constants(module: IRModule) -> tuple[IRModule, list[NDArray[Any]]]:
    """The module with its constant tensors as further parameters, and their values in the same order."""
    graph = main_graph(module)
    taken = {str(p.name) for p in graph.function.params} | {str(v.name) for v in graph.order}
    parameters: list[relax.Var] = []
    values: list[NDArray[Any]] = []

    def lifted(operand: relax.Expr) -> relax.Expr:
        if not is_constant(operand):
            return operand
        var = relax.Var(fresh_name("constant", taken), operand.ty)
        parameters.append(var)
        values.append(np.asarray(array_of(operand)))
        return var

    def write(emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        became: dict[relax.Var, relax.Expr] = {}
        for binding in graph.bindings:
            value = with_operands(
                binding.value, lambda o, _: became.get(o, o) if isinstance(o, relax.Var) else lifted(o)
            )
            became[binding.var] = emit(value, str(binding.var.name))
        return became

    return rebuild_function(module, graph, write, more_parameters=lambda: parameters), values


@lru_cache(maxsize=1)
def _target() -> tvm.target.Target:
    return tvm.target.Target({"kind": "llvm", "opt-level": 0})


_known: OrderedDict[int, list[tuple[IRModule, Executable]]] = OrderedDict()


def _compiled(module: IRModule) -> Executable:
    key = int(tvm_ffi.structural_hash(module))
    for known, executable in _known.get(key, ()):
        if tvm_ffi.structural_equal(known, module):
            _known.move_to_end(key)
            return executable
    face = signature_of(module)
    numbered = signature_of(
        module, [f"i{n}" for n in range(len(face.inputs))], [f"o{n}" for n in range(len(face.outputs))]
    )
    executable = Executable(_library(module), numbered, 1, "plain")
    _known.setdefault(key, []).append((module, executable))
    if len(_known) > KEPT:
        _known.popitem(last=False)
    return executable


def _library(module: IRModule) -> Any:
    target = _target()
    passes = [*cpu_generic.dataflow_lower_passes(target), *cpu_generic.finalize_passes(target)]
    return relax.build(tvm.transform.Sequential(passes)(module), target=target, relax_pipeline=None)
