"""How the tests run operators of the dialect: compiled by TVM, for a plain and for a wide CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import tvm
from numpy.typing import NDArray
from tvm import relax
from tvm.ir import IRModule

Array = NDArray[np.generic]
Build = Callable[..., Sequence[relax.Expr]]


def module_of(arrays: Sequence[Array], build: Build) -> IRModule:
    """A module "main" over one variable per array that returns what `build` makes of them, as a tuple."""
    builder = relax.BlockBuilder()
    types = [relax.TensorType(array.shape, str(array.dtype)) for array in arrays]
    variables = [relax.Var(f"x{i}", ty) for i, ty in enumerate(types)]
    with builder.function("main", variables):
        with builder.dataflow():
            outputs = [builder.emit_output(builder.emit(expr)) for expr in build(*variables)]
        builder.emit_func_output(relax.Tuple(outputs))
    return builder.get()


def execute(module: IRModule, arrays: Sequence[Array], target: str = "llvm") -> list[Array]:
    """The outputs of "main" on these arrays."""
    executable = tvm.compile(module, target=tvm.target.Target(target))
    machine = relax.VirtualMachine(executable, tvm.cpu())
    return [output.numpy() for output in machine["main"](*[tvm.runtime.tensor(array) for array in arrays])]


@pytest.fixture
def run() -> Callable[..., list[Array]]:
    """run(arrays, build, target="llvm") -> the outputs of the calls that `build` makes of the variables."""

    def compiled(arrays: Sequence[Array], build: Build, target: str = "llvm") -> list[Array]:
        return execute(module_of(arrays, build), arrays, target)

    return compiled


@pytest.fixture
def module() -> Callable[[Sequence[Array], Build], IRModule]:
    return module_of
