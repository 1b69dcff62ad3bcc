"""A compiled module that runs: dict of arrays in, dict of arrays out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax

from qdsl.lower.export import export_library
from qdsl.lower.signature import Signature, TensorSpec
from qdsl.lower.threads import pool

_ALIGNMENT = 64
"""Bytes that compiled kernels take the address of every tensor to be a multiple of."""
_SMALL = 1 << 14
"""Bytes up to which copying a result beats handing over its memory."""


@dataclass(frozen=True)
class Benchmark:
    """Latencies of one executable on this machine; all in microseconds."""

    median_us: float
    minimum_us: float
    mean_us: float
    deviation_us: float
    repeats: int
    threads: int

    def __str__(self) -> str:
        return (
            f"median {self.median_us:.1f} us, minimum {self.minimum_us:.1f} us over {self.repeats} runs "
            f"on {self.threads} thread{'s' * (self.threads > 1)}"
        )


class Executable:
    """A module compiled for one target. Not to be called from two Python threads at a time."""

    def __init__(self, library: Any, signature: Signature, threads: int, target_name: str) -> None:
        self.signature = signature
        self.threads = threads
        self.target_name = target_name
        self._library = library
        self._machine = relax.VirtualMachine(library, tvm.cpu())
        self._main = self._machine["main"]
        self._slots = [_Slot(spec) for spec in signature.inputs]
        self._output_names = [spec.name for spec in signature.outputs]
        self._turned = [name for name, turned in zip(self._output_names, signature.turned, strict=False) if turned]

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """Names, shapes and dtypes of the inputs."""
        return self.signature.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """Names, shapes and dtypes of the outputs."""
        return self.signature.outputs

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Run once. The arrays given back are the caller's own and stay as they are over later runs.

        Raises DataError when an input is missing, unknown, or of another dtype or shape.
        """
        arrays = self.signature.check(inputs)
        pool.use(self.threads)
        result = self._main(*[slot.put(array) for slot, array in zip(self._slots, arrays, strict=True)])
        results = result if self.signature.tuple_result else (result,)
        named = zip(self._output_names, results, self.signature.shared, strict=True)
        outputs = {name: _own(tensor, shared) for name, tensor, shared in named}
        for name in self._turned:
            outputs[name] = np.moveaxis(outputs[name], -1, 1)
        return outputs

    def benchmark(
        self, repeats: int = 50, *, warmup: int = 5, inputs: Mapping[str, np.ndarray] | None = None
    ) -> Benchmark:
        """Time `repeats` whole calls of `run` after `warmup` untimed ones (random inputs unless given)."""
        arrays = dict(inputs) if inputs is not None else self.example_inputs()
        for _ in range(warmup):
            self.run(arrays)
        times = sorted(_timed(lambda: self.run(arrays)) for _ in range(max(1, repeats)))
        return Benchmark(
            median_us=statistics.median(times),
            minimum_us=times[0],
            mean_us=statistics.fmean(times),
            deviation_us=statistics.pstdev(times),
            repeats=len(times),
            threads=self.threads,
        )

    def example_inputs(self, seed: int = 0) -> dict[str, np.ndarray]:
        """Inputs of the right names, shapes and dtypes with values drawn from [0, 1), or zeros for integers."""
        generator = np.random.default_rng(seed)
        return {
            spec.name: generator.random(spec.shape).astype(spec.dtype)
            if np.issubdtype(np.dtype(spec.dtype), np.floating)
            else np.zeros(spec.shape, spec.dtype)
            for spec in self.inputs
        }

    def export(self, path: str | Path) -> Path:
        """Write a shared library that `load_executable` reads; complete or not at all.

        Raises BuildError when there is no linker or the path cannot be written.
        """
        return export_library(self._library, Path(path))

    def profile(self, inputs: Mapping[str, np.ndarray] | None = None, repeats: int = 10) -> dict[str, float]:
        """Median microseconds spent in each kernel, summed over its calls in one run, by kernel name."""
        arrays = self.signature.check(dict(inputs) if inputs is not None else self.example_inputs())
        tensors = [slot.put(array) for slot, array in zip(self._slots, arrays, strict=True)]
        pool.use(self.threads)
        machine = relax.VirtualMachine(self._library, tvm.cpu())
        runs: list[dict[str, float]] = []
        started = [0.0]

        def instrument(_function: Any, name: str, before: bool, _result: Any, *_args: Any) -> int:
            if before:
                started[0] = time.perf_counter()
                return 0
            runs[-1][name] = runs[-1].get(name, 0.0) + (time.perf_counter() - started[0]) * 1e6
            return 0

        machine.set_instrument(instrument)
        for _ in range(repeats):
            runs.append({})
            machine["main"](*tensors)
        names = dict.fromkeys(name for run in runs for name in run)
        return {name: statistics.median(run.get(name, 0.0) for run in runs) for name in names}


class _Slot:
    """Where one input is handed over: as it is when its address fits, else copied into a buffer that is kept."""

    def __init__(self, spec: TensorSpec) -> None:
        dtype = np.dtype(spec.dtype)
        size = int(np.prod(spec.shape)) * dtype.itemsize
        memory = np.empty(size + _ALIGNMENT, np.uint8)
        start = -memory.ctypes.data % _ALIGNMENT
        self._view = memory[start : start + size].view(dtype).reshape(spec.shape)
        self._tensor = tvm_ffi.from_dlpack(self._view)

    def put(self, array: np.ndarray) -> Any:
        if array.flags.c_contiguous and array.flags.writeable and array.ctypes.data % _ALIGNMENT == 0:
            return tvm_ffi.from_dlpack(array)
        self._view[...] = array
        return self._tensor


class _Memory:
    """A result's memory, writable, alive for as long as an array views it."""

    def __init__(self, view: np.ndarray) -> None:
        self._view = view
        self.__array_interface__ = {**view.__array_interface__, "data": (view.ctypes.data, False)}


def _own(tensor: Any, shared: bool) -> np.ndarray:
    """A result as an array that is the caller's; copied where it is shared, or so small that a copy is cheaper."""
    view = np.from_dlpack(tensor)
    if shared or view.nbytes <= _SMALL:
        return view.copy()
    return np.asarray(_Memory(view))


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6
