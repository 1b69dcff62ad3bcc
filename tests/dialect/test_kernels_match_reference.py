"""Every kernel against the numpy reference of the same name: equal to the bit, on corners and on random data."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qdsl import dialect, numerics

RNG = np.random.default_rng(7)
CHANNELS = 5

FORMATS = [
    {"dtype": "int8", "low": -128, "high": 127},
    {"dtype": "int8", "low": -127, "high": 127},
    {"dtype": "uint8", "low": 0, "high": 255},
    {"dtype": "int4", "low": -8, "high": 7},
    {"dtype": "uint4", "low": 0, "high": 15},
    {"dtype": "int16", "low": -32768, "high": 32767},
    {"dtype": "uint16", "low": 0, "high": 65535},
    {"dtype": "int32", "low": -(2**23), "high": 2**23 - 1},
    {"dtype": "int32", "low": -(2**31), "high": 2**31 - 1},
]
IS_X86 = platform.machine() in ("x86_64", "AMD64")
WIDE = '{"kind": "llvm", "mcpu": "x86-64-v3"}'
TARGETS = ["llvm", WIDE] if IS_X86 else ["llvm"]

Run = Callable[..., list[np.ndarray]]


def reals() -> np.ndarray:
    """(40, CHANNELS): every half step of 0.25 near zero, great, tiny and infinite numbers, a NaN, noise."""
    corners = [0.0, -0.0, 1e-40, -1e-40, 1e30, -1e30, np.inf, -np.inf, np.nan, 3.4e38]
    halves = np.arange(-45, 45) * 0.125
    noise = RNG.standard_normal(100) * np.logspace(-3, 6, 100)
    return np.concatenate([corners, halves, noise]).astype(np.float32).reshape(-1, CHANNELS)


def codes(dtype: str) -> np.ndarray:
    """(n, CHANNELS) codes with both ends of the dtype and everything around zero."""
    info = np.iinfo(dtype)
    ends = [info.min, info.min + 1, info.max - 1, info.max]
    near = np.arange(max(info.min, -60), 61)
    noise = RNG.integers(info.min, info.max, 200, endpoint=True)
    values = np.concatenate([ends, near, noise, noise // 1000])
    return values[: len(values) // CHANNELS * CHANNELS].astype(dtype).reshape(-1, CHANNELS)


def same(results: list[np.ndarray], cases: list[dict[str, Any]], reference: Callable[..., np.ndarray]) -> None:
    for result, case in zip(results, cases, strict=True):
        np.testing.assert_array_equal(result, reference(**case), err_msg=str(case), strict=True)


@pytest.mark.parametrize("target", TARGETS)
def test_quantize(run: Run, target: str) -> None:
    x = reals()
    scales = [(0.25, None), (0.3, None), (np.array([0.25, 1e-30, 0.3, 7.0, 1e-3]), 1), (1e-45, None), (1e20, None)]
    cases = [
        {"scale": scale, "axis": axis, "zero": zero, **form}
        for form in FORMATS
        for scale, axis in scales
        for zero in ([0] if form["dtype"] == "int32" else [0, form["low"] + 3])
    ]
    results = run([x], lambda v: [dialect.quantize(v, **case) for case in cases], target)
    same(results, cases, lambda **case: numerics.quantize(x, **case))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32"])
def test_dequantize(run: Run, dtype: str) -> None:
    x = codes(dtype)
    cases: list[dict[str, Any]] = [
        {"scale": scale, "axis": axis, "zero": zero}
        for scale, axis in [(0.3, None), (np.array([0.3, 1e-9, 2.0, 1e-36, 5e9]), -1)]
        for zero in (0, 3, -700, 2**30)
    ]
    results = run([x], lambda v: [dialect.dequantize(v, **case) for case in cases])
    same(results, cases, lambda **case: numerics.dequantize(x, **case))


@pytest.mark.parametrize("target", TARGETS)
def test_simulated_quantize(run: Run, target: str) -> None:
    x = reals()
    cases: list[dict[str, Any]] = [
        {"scale": scale, "axis": axis, "zero": zero, **form}
        for form in FORMATS
        for scale, axis in [(None, None), (0.3, None), (np.array([0.25, 1e-3, 0.3, 7.0, 1.0]), 1)]
        for zero in (0, 3)
    ]
    results = run([x], lambda v: [dialect.simulated_quantize(v, **case) for case in cases], target)
    same(results, cases, lambda **case: numerics.simulated_quantize(x, **case))


RATIOS = [1.0, 0.5, 2.0, 0.3, 1.7, 40.0, 2.0**-40, 2.0**20, 2.0**-31, 1 / 3, 0.1234567891234, 1e-12, 3e9, 0.99999999999]
PER_CHANNEL = [
    np.array([1.0, 0.5, 2.0, 0.3, 40.0]),
    np.array([1.0, 0.5, 2.0, 0.125, 1024.0]),
    np.ones(CHANNELS),
    np.full(CHANNELS, 2.0**-9),
]


@pytest.mark.parametrize("mode", ["float", "fixed"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
def test_requantize(run: Run, dtype: str, mode: str) -> None:
    x = codes(dtype)
    forms = [FORMATS[0], FORMATS[2], FORMATS[8]]
    cases: list[dict[str, Any]] = [
        {"ratio": ratio, "axis": axis, "zero_in": zeros[0], "zero_out": zeros[1], "mode": mode, **form}
        for form in forms
        for ratio, axis in [*((r, None) for r in RATIOS), *((r, 1) for r in PER_CHANNEL)]
        for zeros in [(0, 0), (3, 0), (-5, 77)][: 1 if form["dtype"] == "int32" else 3]
    ]
    results = run([x], lambda v: [dialect.requantize(v, **case) for case in cases])
    same(results, cases, lambda **case: numerics.requantize(x, **case))


@pytest.mark.parametrize("rounding", ["UPWARD", "TONEAREST"])
@pytest.mark.parametrize("round_for_shift", [True, False])
def test_roundings_of_requantize(run: Run, rounding: str, round_for_shift: bool) -> None:
    x = codes("int32")
    how = {"mode": "fixed", "rounding": rounding, "round_for_shift": round_for_shift}
    ratios: list[tuple[Any, int | None]] = [*((r, None) for r in RATIOS), *((r, 1) for r in PER_CHANNEL)]
    cases = [{"ratio": ratio, "axis": axis, "zero_in": 0, "zero_out": 3, **how, **FORMATS[5]} for ratio, axis in ratios]
    results = run([x], lambda v: [dialect.requantize(v, **case) for case in cases])
    same(results, cases, lambda **case: numerics.requantize(x, **case))


def affine_cases() -> list[dict[str, Any]]:
    gains = [0.0123, np.array([0.0123, -1.7, 40.0, 0.0, 1.0]), np.full((1, 1), -0.3)]
    offsets = [0.0, 3.7, np.array([0.5, -1e9, 0.0, 1e9, 0.25])]
    zeros = [(0, 0), (-5, 77)]
    return [
        {"gain": gain, "offset": offset, "zero_in": before, "zero_out": after, **form}
        for form in (FORMATS[0], FORMATS[7])
        for gain in gains
        for offset in offsets
        for before, after in zeros
    ]


@pytest.mark.parametrize(("target", "fused"), [("llvm", False), (WIDE, True)] if IS_X86 else [("llvm", True)])
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_affine(run: Run, dtype: str, target: str, fused: bool) -> None:
    """LLVM contracts the product and the sum where the target has FMA, and the reference says which it is."""
    x, cases = codes(dtype), affine_cases()
    results = run([x], lambda v: [dialect.affine(v, **case) for case in cases], target)
    same(results, cases, lambda **case: numerics.affine(x, fused=fused, **case))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("table_dtype", ["int8", "uint8", "int16", "uint16", "int32", "float32"])
def test_lookup(run: Run, dtype: str, table_dtype: str) -> None:
    x = numerics.positions(dtype).astype(dtype).reshape(16, 16)[:, ::-1].copy()
    info = None if table_dtype == "float32" else np.iinfo(table_dtype)
    table = (RNG.standard_normal(256) if info is None else RNG.integers(info.min, info.max, 256)).astype(table_dtype)
    (result,) = run([x], lambda v: [dialect.lookup(v, table)])
    np.testing.assert_array_equal(result, numerics.lookup(x, table), strict=True)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (0, 3), (2, 1, 3, 2, 1)])
def test_any_rank(run: Run, shape: tuple[int, ...]) -> None:
    x = np.asarray(RNG.standard_normal(shape), np.float32)
    form = {"dtype": "uint8", "low": 0, "high": 255}
    results = run([x], lambda v: [dialect.quantize(v, 0.1, 100, **form), dialect.simulated_quantize(v, 0.1, 9, **form)])
    np.testing.assert_array_equal(results[0], numerics.quantize(x, 0.1, 100, **form), strict=True)
    np.testing.assert_array_equal(results[1], numerics.simulated_quantize(x, 0.1, 9, **form), strict=True)
