"""Folding with numpy gives what the compiled operator gives, for every operator of the table, in one module."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import relax

from qdsl.load.canonical.constants import fold_call
from qdsl.load.canonical.numpy_table import TABLE
from qdsl.load.operands import constant, operator_name

op = relax.op
Expr = relax.Expr

RNG = np.random.default_rng(0)
A = RNG.standard_normal((2, 3, 4)).astype(np.float32)
B = RNG.standard_normal((3, 1)).astype(np.float32)
POSITIVE = np.abs(A) + np.float32(0.1)
ODD = np.asarray([[np.nan, np.inf], [-np.inf, -0.5]], np.float32)
INTS = np.asarray([[-7, 5], [3, -2]], np.int64)
DIVISORS = np.asarray([[2, -3], [-2, 4]], np.int64)
BOOLS = np.asarray([[True, False], [True, True]])
SQUARE = RNG.standard_normal((4, 4)).astype(np.float32)
INDEX = np.asarray([2, 0], np.int64)
SCALAR = np.asarray(1.5, np.float32)

Make = Callable[..., Expr]
CASES: list[tuple[Make, tuple[np.ndarray, ...]]] = [
    *(
        (make, (A, B))
        for make in (op.add, op.subtract, op.multiply, op.divide, op.maximum, op.minimum, op.floor_mod, op.mod)
    ),
    *(
        (make, (A, B))
        for make in (op.equal, op.not_equal, op.less, op.less_equal, op.greater, op.greater_equal, op.floor_divide)
    ),
    *((make, (BOOLS, BOOLS.T)) for make in (op.logical_and, op.logical_or, op.logical_xor)),
    (op.divide, (INTS, DIVISORS)),
    (op.add, (INTS, DIVISORS)),
    (op.power, (POSITIVE, B)),
    (op.matmul, (A, SQUARE)),
    (op.where, (BOOLS, ODD, ODD.T)),
    *(
        (make, (A,))
        for make in (op.negative, op.abs, op.exp, op.tanh, op.sigmoid, op.erf, op.sin, op.cos, op.floor, op.ceil)
    ),
    *((make, (A,)) for make in (op.round, op.sign, op.square, op.nn.relu, op.zeros_like, op.ones_like)),
    *((make, (POSITIVE,)) for make in (op.sqrt, op.rsqrt, op.log)),
    *((make, (ODD,)) for make in (op.isnan, op.isinf, op.isfinite)),
    (op.logical_not, (BOOLS,)),
    (lambda x: op.clip(x, -0.5, 0.5), (A,)),
    *(
        (lambda x, make=make: make(x, axis=[0, -1], keepdims=True), (A,))
        for make in (op.sum, op.mean, op.max, op.min, op.prod)
    ),
    (lambda x: op.sum(x), (A,)),
    (lambda x: op.cumsum(x, axis=1), (A,)),
    (lambda x: op.reshape(x, (4, 6)), (A,)),
    (op.flatten, (A,)),
    (lambda x: op.permute_dims(x, [2, 0, 1]), (A,)),
    (op.permute_dims, (A,)),
    (lambda x: op.expand_dims(x, [0, -1]), (A,)),
    (lambda x: op.squeeze(x, [1]), (B,)),
    (lambda x: op.broadcast_to(x, (2, 3, 4)), (B,)),
    (lambda x, y: op.concat([x, y], axis=1), (A, A)),
    (lambda x, y: op.stack([x, y], axis=-1), (A, A)),
    (lambda x: op.split(x, 2, axis=2), (A,)),
    (lambda x: op.split(x, [1, 2], axis=1), (A,)),
    (lambda x: op.take(x, constant(INDEX), axis=1), (A,)),
    (lambda x: op.strided_slice(x, [0, 2], [1, -1], [2, -9], [1, -2]), (A,)),
    (lambda x: op.strided_slice(x, [1], [-2], [100]), (A,)),
    (lambda x: op.flip(x, 1), (A,)),
    (lambda x: op.tile(x, [2, 1, 3]), (A,)),
    (lambda x: op.repeat(x, 2, 1), (A,)),
    (lambda x: op.gather_elements(x, constant(np.asarray([[1, 0], [0, 1]], np.int64)), 1), (SQUARE,)),
    (lambda x: op.astype(x, "int32"), (A * 10,)),
    (lambda x: op.full((2, 3), x, "float32"), (SCALAR,)),
    (lambda x, y: op.full_like(x, y), (A, SCALAR)),
    (lambda x: op.add(x, op.zeros((3, 4), "float32")), (A,)),
    (lambda x: op.add(x, op.ones((3, 4), "float32")), (A,)),
    (lambda x: op.add(x, op.arange(2, 10, 3, "int64")), (np.asarray([1, 2, 3]),)),
]
WITHOUT_A_KERNEL = {"shape_of", "shape_to_tensor", "tensor_to_shape"}


@pytest.fixture(scope="module")
def compiled() -> list[list[np.ndarray]]:
    """What every case gives when its operands are inputs."""
    builder = relax.BlockBuilder()
    inputs = [
        relax.Var(f"x{i}_{j}", relax.TensorType(array.shape, str(array.dtype)))
        for i, (_, arrays) in enumerate(CASES)
        for j, array in enumerate(arrays)
    ]
    with builder.function("main", inputs):
        with builder.dataflow():
            left = iter(inputs)
            results = [builder.emit(make(*(next(left) for _ in arrays))) for make, arrays in CASES]
            result = builder.emit_output(relax.Tuple(results))
        builder.emit_func_output(result)
    with tvm.transform.PassContext(opt_level=0):
        machine = relax.VirtualMachine(relax.build(builder.get(), "llvm"), tvm.cpu())
    outputs = machine["main"](*(tvm.runtime.tensor(array) for _, arrays in CASES for array in arrays))
    return [[out.numpy()] if hasattr(out, "numpy") else [item.numpy() for item in out] for out in outputs]


def _fold(call: Expr) -> Expr:
    """The constant that a call of constants and of such calls computes."""
    arguments = [_fold(argument) if isinstance(argument, relax.Call) else argument for argument in call.args]
    whole = relax.BlockBuilder().normalize(relax.Call(call.op, arguments, call.attrs))
    result = fold_call(whole, {})
    assert result is not None, whole
    return result


def _folded(make: Make, arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    result = _fold(make(*(constant(array) for array in arrays)))
    items = result.fields if isinstance(result, relax.Tuple) else [result]
    return [item.value.numpy() for item in items]


@pytest.mark.parametrize("position", range(len(CASES)))
def test_folded_as_compiled(position: int, compiled: list[list[np.ndarray]]) -> None:
    make, arrays = CASES[position]
    for got, wanted in zip(_folded(make, arrays), compiled[position], strict=True):
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        # Two roundings of a float32 function, and reductions of up to 8 elements.
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-6)


def test_every_operator_of_the_table_is_compared() -> None:
    seen = set()
    for make, arrays in CASES:
        call = make(*(constant(array) for array in arrays))
        seen.add(operator_name(call))
        seen.update(operator_name(argument) for argument in call.args if isinstance(argument, relax.Call))
    assert set(TABLE) - WITHOUT_A_KERNEL == seen & set(TABLE)


def test_a_number_stays_without_axes() -> None:
    call = relax.BlockBuilder().normalize(op.add(constant(SCALAR), constant(SCALAR)))
    folded = fold_call(call, {})
    assert folded.value.shape == ()
    assert folded.value.numpy() == 3


def test_an_index_out_of_range_is_left_to_the_module() -> None:
    call = relax.BlockBuilder().normalize(op.take(constant(B), constant(np.asarray([7], np.int64)), axis=0))
    assert fold_call(call, {}) is None


def test_equal_calls_give_one_constant() -> None:
    known: dict[object, Expr] = {}
    weight = constant(SQUARE)
    first, second = (relax.BlockBuilder().normalize(op.permute_dims(weight)) for _ in range(2))
    assert fold_call(first, known).same_as(fold_call(second, known))
