"""The outer face of a compiled module: names, shapes and dtypes of what goes in and comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax
from tvm.ir import IRModule

from qdsl.errors import BuildError, DataError
from qdsl.lower.aliasing import shared_results


@dataclass(frozen=True)
class TensorSpec:
    """One input or output."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} {_shape(self.shape)}"


@dataclass(frozen=True)
class Signature:
    """All inputs and outputs, in the order in which the compiled function takes and gives them."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    tuple_result: bool
    """Whether the function gives a tuple (also of one item) rather than a tensor."""
    shared: tuple[bool, ...]
    """For each output, whether its memory may be that of an input, a constant or another output."""
    turned: tuple[bool, ...] = ()
    """For each output, whether the code gives it channels last, to be seen through a transposed view; () for none."""

    def check(self, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """The arrays in order. Raises DataError that names the input and says what was expected."""
        if not isinstance(inputs, Mapping):
            names = ", ".join(spec.name for spec in self.inputs)
            raise DataError(f"inputs come as a dict of arrays by name ({names}), not as {type(inputs).__name__}.")
        arrays = []
        for spec in self.inputs:
            array = inputs.get(spec.name)
            if array is None:
                raise DataError(f"input {spec.name!r} is missing (expected {spec}); given: {_names(inputs)}.")
            if not isinstance(array, np.ndarray):
                array = np.asarray(array, dtype=spec.dtype)
            if array.dtype != spec.dtype:
                raise DataError(f"input {spec.name!r} is {array.dtype}, expected {spec.dtype}.")
            if array.shape != spec.shape:
                raise DataError(f"input {spec.name!r} has shape {_shape(array.shape)}, expected {_shape(spec.shape)}.")
            arrays.append(array)
        if len(inputs) != len(self.inputs):
            extra = sorted(set(inputs) - {spec.name for spec in self.inputs})
            known = ", ".join(spec.name for spec in self.inputs)
            raise DataError(f"no such input: {', '.join(map(repr, extra))}; the model's inputs are {known}.")
        return arrays


def signature_of(
    module: IRModule, input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None
) -> Signature:
    """The signature of `main`; names default to those of its parameters and results.

    Raises BuildError when `main` is missing, its shapes are not fixed, or the names do not fit.
    """
    main = next((f for g, f in module.functions_items() if g.name_hint == "main"), None)
    if not isinstance(main, relax.Function):
        raise BuildError("the module has no Relax function named 'main'.")
    parameters = [(var.name, var.ty) for var in main.params]
    types = list(main.ret_ty.fields) if isinstance(main.ret_ty, relax.TupleType) else [main.ret_ty]
    results = list(zip(_result_names(main, len(types)), types, strict=True))
    return Signature(
        _specs(parameters, input_names, "input"),
        _specs(results, output_names, "output"),
        isinstance(main.ret_ty, relax.TupleType),
        shared_results(main),
    )


def _specs(named: Sequence[tuple[str, object]], names: Sequence[str] | None, kind: str) -> tuple[TensorSpec, ...]:
    if names is not None and len(names) != len(named):
        raise BuildError(f"{len(names)} {kind} names for the {len(named)} {kind}s of 'main'.")
    chosen = list(names) if names is not None else [name for name, _ in named]
    if len(set(chosen)) != len(chosen):
        raise BuildError(f"two {kind}s of 'main' have the same name: {', '.join(chosen)}.")
    return tuple(_spec(name, ty, kind) for name, (_, ty) in zip(chosen, named, strict=True))


def _spec(name: str, ty: object, kind: str) -> TensorSpec:
    if not isinstance(ty, relax.TensorType) or ty.shape is None:
        raise BuildError(f"{kind} {name!r} is not a tensor of known shape: {ty}.")
    try:
        shape = tuple(int(extent) for extent in ty.shape.values)
    except (TypeError, ValueError):
        raise BuildError(f"{kind} {name!r} has a shape that is not fixed: {ty.shape}. Fix it with shapes=.") from None
    return TensorSpec(name, shape, str(ty.dtype))


def _result_names(main: relax.Function, count: int) -> list[str]:
    body = main.body.body
    bound = {binding.var: binding.value for block in main.body.blocks for binding in block.bindings}
    value = bound.get(body, body)
    items = list(value.fields) if isinstance(value, relax.Tuple) else [body]
    names = [item.name if isinstance(item, relax.Var) else f"output{i}" for i, item in enumerate(items)]
    if len(names) != count:
        names = [f"output{i}" for i in range(count)]
    return [name if names.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(names)]


def _shape(shape: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _names(inputs: Mapping[str, np.ndarray]) -> str:
    return ", ".join(map(repr, inputs)) or "nothing"
