"""From a Relax module to a library: legalize, fuse, schedule, and TVM's own lowering to its virtual machine."""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax
from tvm.ir import IRModule
from tvm.relax.backend.cpu_generic import pipeline as cpu_generic

from qdsl.errors import BuildError
from qdsl.lower.codegen import PIPELINE
from qdsl.lower.export import quiet
from qdsl.lower.fusion import FuseGroups
from qdsl.lower.kernels.codes import legalizers
from qdsl.lower.kernels.lower_heavy import LowerHeavy
from qdsl.lower.kernels.lower_rows import LowerRows
from qdsl.lower.layout import ChannelsLast
from qdsl.lower.needless import DropNeedless
from qdsl.lower.schedule import ScheduleAll
from qdsl.lower.target import Target


def build_library(module: IRModule, target: Target) -> Any:
    """The library (a TVM VMExecutable) of `module`. Raises BuildError with TVM's last word when a pass refuses."""
    try:
        with quiet(), target.tvm, tvm.transform.PassContext(opt_level=3):
            lowered = tvm.transform.Sequential(
                [*graph_passes(target), ScheduleAll(target), *machine_passes(target)], name="qdsl.lower"
            )(module)
            return relax.build(lowered, target=target.tvm, relax_pipeline=None, tir_pipeline=PIPELINE)
    except Exception as error:
        raise BuildError(
            f"the module cannot be compiled for {target.name}: {_last_line(error)}. "
            "All shapes must be fixed and every operator must have a lowering in this TVM."
        ) from error


def graph_passes(target: Target) -> list[tvm.transform.Pass]:
    """Passes that turn operators into fused PrimFuncs."""
    return [
        ChannelsLast(),
        DropNeedless(),
        LowerHeavy(target),
        LowerRows(target),
        *cpu_generic.library_dispatch_passes(target.tvm),
        relax.transform.LegalizeOps(legalizers(target)),
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FoldConstant(),
        FuseGroups(),
        relax.transform.FuseTIR(),
    ]


def machine_passes(target: Target) -> list[tvm.transform.Pass]:
    """Passes that turn calls of PrimFuncs into code of the virtual machine, with memory planned ahead."""
    return [*cpu_generic.dataflow_lower_passes(target.tvm), *cpu_generic.finalize_passes(target.tvm)]


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
