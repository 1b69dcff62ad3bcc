"""The AVX512-VNNI instruction vpdpbusd as tensor intrinsics: 16 sums of 4 products uint8 * int8 at once.

    dot      c[i] += sum over k < 4 of a[k] * b[i][k]         one place of 4 input channels against 16 output channels
    taps     c[i] += sum over k < 4 of a[k][i] * b[i][k]      4 rows of 16 channels, each channel by itself

Without the saturating `s` at its end the instruction is exact modulo 2^32, as int32 sums are. TVM's own intrinsic of
the kind does not fit the LLVM it comes with (the operands are vectors of 64 bytes there), and importing its module
takes seconds, so these are described here and registered when first needed. Every body is one expression: a temporary
in it would become a heap allocation per call.
"""

from __future__ import annotations

from functools import lru_cache

from tvm import s_tir
from tvm.s_tir import TensorIntrin
from tvm.script import tirx as T

_DOT, _TAPS = "qdsl.vpdpbusd.dot", "qdsl.vpdpbusd.taps"


def tensorize_dot(schedule: s_tir.Schedule, lane: object) -> None:
    """Replace the loop over 16 lanes, and the loop over 4 channels below it, by the instruction."""
    _register_dot()
    schedule.tensorize(lane, _DOT)


def tensorize_taps(schedule: s_tir.Schedule, lane: object) -> None:
    """Replace the loop over 16 channels, and the loop over 4 rows below it, by weaving the rows and the instruction."""
    _register_taps()
    schedule.tensorize(lane, _TAPS)


@lru_cache(maxsize=1)
def _register_dot() -> None:
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

    TensorIntrin.register(_DOT, description, implementation)


@lru_cache(maxsize=1)
def _register_taps() -> None:
    @T.prim_func(s_tir=True)
    def description(a: T.handle, b: T.handle, c: T.handle) -> None:
        s0, s1 = T.int32(), T.int32()
        A = T.match_buffer(a, (4, 1, 16), "uint8", offset_factor=1, strides=[s0, s1, 1])
        B = T.match_buffer(b, (16, 4), "int8", offset_factor=1)
        C = T.match_buffer(c, (16,), "int32", offset_factor=1)
        with T.sblock("root"):
            T.reads(C[0:16], A[0:4, 0, 0:16], B[0:16, 0:4])
            T.writes(C[0:16])
            for i in T.serial(0, 16):
                for k in T.serial(0, 4):
                    with T.sblock("update"):
                        vi, vk = T.axis.remap("SR", [i, k])
                        C[vi] = C[vi] + T.cast(A[vk, 0, vi], "int32") * T.cast(B[vi, vk], "int32")

    woven = [row * 16 + channel for channel in range(16) for row in range(4)]

    @T.prim_func(s_tir=True)
    def implementation(a: T.handle, b: T.handle, c: T.handle) -> None:
        s0, s1 = T.int32(), T.int32()
        A = T.match_buffer(a, (4, 1, 16), "uint8", offset_factor=1, strides=[s0, s1, 1])
        B = T.match_buffer(b, (16, 4), "int8", offset_factor=1)
        C = T.match_buffer(c, (16,), "int32", offset_factor=1)
        with T.sblock("root"):
            T.reads(C[0:16], A[0:4, 0, 0:16], B[0:16, 0:4])
            T.writes(C[0:16])
            C[T.ramp(T.int32(0), 1, 16)] = T.call_llvm_pure_intrin(
                T.llvm_lookup_intrinsic_id("llvm.x86.avx512.vpdpbusd.512"),
                C.vload([0], dtype="int32x16"),
                T.Shuffle(
                    [
                        A.vload([0, 0, 0], dtype="uint8x16"),
                        A.vload([1, 0, 0], dtype="uint8x16"),
                        A.vload([2, 0, 0], dtype="uint8x16"),
                        A.vload([3, 0, 0], dtype="uint8x16"),
                    ],
                    woven,
                ),
                B.vload([0, 0], dtype="int8x64"),
                dtype="int32x16",
            )

    TensorIntrin.register(_TAPS, description, implementation)
