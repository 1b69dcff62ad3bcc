"""From scheduled PrimFuncs to what LLVM is given: TVM's lowering passes that concern a CPU, under the name "qdsl".

TVM's own list serves GPUs as well and takes a third longer. Elementary functions are written out after vectorising, for
the vectoriser cannot carry the variables that they bind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tvm
from tvm import s_tir, tirx
from tvm.ir import IRModule
from tvm.tirx import compilation_pipeline

from qdsl.lower.elementary import with_elementary

PIPELINE = "qdsl"

_LANE_BY_LANE = ("tirx.nearbyint", "tirx.erf", "tirx.rsqrt")
"""Functions that TVM does not say are the same lane by lane, so that its vectoriser would undo vector loops."""


@tvm.transform.module_pass(opt_level=0, name="qdsl.WriteOutElementary")
class WriteOutElementary:
    """A pass: exp and the like in every PrimFunc as polynomials."""

    def transform_module(self, module: IRModule, _: tvm.transform.PassContext) -> IRModule:
        functions = {
            variable: with_elementary(function) if isinstance(function, tirx.PrimFunc) else function
            for variable, function in module.functions_items()
        }
        return IRModule(functions, attrs=module.attrs)


def _passes() -> list[tvm.transform.Pass]:
    return [
        s_tir.transform.CanonicalizeLoop(),
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.CompactBufferAllocation(),
        s_tir.transform.LowerMatchBuffer(),
        s_tir.transform.StmtSimplify(),
        s_tir.transform.LowerOpaqueBlock(),
        tirx.transform.FlattenBuffer(),
        tirx.transform.BF16ComputeLegalize(),
        tirx.transform.NarrowDataType(32),
        s_tir.transform.LoopPartition(),
        tirx.transform.VectorizeLoop(True),
        tirx.transform.StorageRewrite(),
        s_tir.transform.HoistIfThenElse(),
        tirx.transform.UnrollLoop(),
        s_tir.transform.RenormalizeSplitPattern(),
        tirx.transform.StmtSimplify(),
        tirx.transform.RemoveNoOp(),
        s_tir.transform.RewriteUnsafeSelect(),
        WriteOutElementary(),
        tirx.transform.AnnotateEntryFunc(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        tirx.transform.SkipAssert(),
        tirx.transform.BF16StorageLegalize(),
    ]


def _pipeline() -> tuple[Any, Callable[[], Any], Callable[[], Any]]:
    return (
        tvm.transform.Sequential(_passes(), name="qdsl.codegen"),
        compilation_pipeline.finalize_host_passes,
        compilation_pipeline.finalize_device_passes,
    )


for _name in _LANE_BY_LANE:
    tvm.ir.register_op_attr(_name, "TVectorizable", True)
compilation_pipeline.register_tir_pipeline(PIPELINE, _pipeline)
