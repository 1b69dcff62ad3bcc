"""Tables of functions on 8-bit codes, computed by running the function itself on all 256 of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl.lower.compile import compile as compile_module
from qdsl.realize.evaluate import Evaluator
from qdsl.realize.values import Numbers, Tensor, Value


def table_of(
    evaluator: Evaluator, apply: Callable[[Evaluator, Tensor], Value], source: Numbers, target: Numbers
) -> NDArray[np.generic]:
    """(256,) codes of `target`: the function at the real value of each code of `source`, in the order of its codes."""
    least = np.iinfo(source.dtype).min
    codes = np.arange(least, least + 256, dtype=np.int64)
    reals = (np.float32(source.scale) * (codes - source.zero).astype(np.float32)).astype(np.float32)
    values = run_function(evaluator, apply, reals).astype(np.float64)
    steps = np.round(values / float(target.scale)) + target.zero
    return np.clip(steps, target.low, target.high).astype(target.dtype)


def run_function(
    evaluator: Evaluator, apply: Callable[[Evaluator, Tensor], Value], reals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The function of a rule at some float32 numbers, as the float model would compute it."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(reals.shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            inner = replace(evaluator, emit=lambda call: builder.emit(call))
            result = apply(inner, Tensor(x))
            assert isinstance(result, Tensor)
            output = builder.emit_output(result.expr)
        builder.emit_func_output(output)
    module: IRModule = builder.get()
    runnable = compile_module(module)
    (values,) = runnable.run({"x": reals}).values()
    return np.asarray(values)
