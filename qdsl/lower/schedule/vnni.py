"""The AVX512-VNNI instruction vpdpbusd as a tensor intrinsic: 16 sums of 4 products uint8 * int8 at once.

    c[i] += sum over k < 4 of a[k] * b[i][k]        a: uint8 (4,), b: int8 (16, 4), c: int32 (16,)

Without the saturating `s` at its end the instruction is exact modulo 2^32, as int32 sums are. TVM's own intrinsic of
the kind does not fit the LLVM it comes with (the operands are vectors of 64 bytes there), and importing its module
takes seconds, so this one is described here and registered when first needed.
"""

from __future__ import annotations

from functools import lru_cache

from tvm import s_tir
from tvm.s_tir import TensorIntrin
from tvm.script import tirx as T

_NAME = "qdsl.vpdpbusd"


def tensorize_dot(schedule: s_tir.Schedule, lane: object) -> None:
    """Replace the loop over 16 lanes, and the loop over 4 below it, by the instruction."""
    _register()
    schedule.tensorize(lane, _NAME)


@lru_cache(maxsize=1)
def _register() -> None:
    @T.prim_func(s_tir=True)
    def description(
        A: T.Buffer((4,), "uint8", offset_factor=1),
        B: T.Buffer((16, 4), "int8", offset_factor=1),
        C: T.Buffer((16,), "int32", offset_factor=1),
    ) -> None:
        with T.sblock("root"):
            T.reads(C[0:16], A[0:4], B[0:16, 0:4])
            T.writes(C[0:16])
            for i in T.serial(0, 16):
                for k in T.serial(0, 4):
                    with T.sblock("update"):
                        vi, vk = T.axis.remap("SR", [i, k])
                        C[vi] = C[vi] + T.cast(A[vk], "int32") * T.cast(B[vi, vk], "int32")

    # One expression: a temporary in the body would become a heap allocation per call.
    @T.prim_func(s_tir=True)
    def implementation(
        A: T.Buffer((4,), "uint8", offset_factor=1),
        B: T.Buffer((16, 4), "int8", offset_factor=1),
        C: T.Buffer((16,), "int32", offset_factor=1),
    ) -> None:
        with T.sblock("root"):
            T.reads(C[0:16], A[0:4], B[0:16, 0:4])
            T.writes(C[0:16])
            C[T.ramp(T.int32(0), 1, 16)] = T.call_llvm_pure_intrin(
                T.llvm_lookup_intrinsic_id("llvm.x86.avx512.vpdpbusd.512"),
                C.vload([0], dtype="int32x16"),
                T.reinterpret(T.broadcast(T.reinterpret(A.vload([0], "uint8x4"), dtype="int32"), 16), dtype="uint8x64"),
                B.vload([0, 0], dtype="int8x64"),
                dtype="int32x16",
            )

    TensorIntrin.register(_NAME, description, implementation)
