"""A Relax module as a draft: parameters bound, symbolic sizes fixed, one function, one block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import tvm
from tvm import ir, relax

from qdsl.errors import ModelError
from qdsl.load.draft import Binding, Draft
from qdsl.load.model import InputSpec, SourceOperator
from qdsl.load.names import NameSupply, did_you_mean, variable_name
from qdsl.load.operands import dtype_of, shape_of
from qdsl.load.origin import operator_of
from qdsl.load.shapes import DeclaredInput, Dim, fix_shapes

Shapes = Mapping[str, Sequence[int]]
Loaded = tuple[Draft, tuple[InputSpec, ...], tuple[str, ...], tuple[SourceOperator, ...]]


def draft_of_module(
    module: ir.IRModule, params: Mapping[str, Any] | None, shapes: Shapes | None, sample_shapes: Shapes | None
) -> Loaded:
    """The draft, inputs, output names and operators of a module's function.

    Raises:
        ModelError: several functions that cannot be made one, control flow, impure calls, or open shapes.
    """
    name = _entry(module)
    module = _inlined(module, name)
    module = _bound(module, name, params or {})
    declared = tuple(_declared(var) for var in module[name].params)
    inputs = fix_shapes(declared, shapes, sample_shapes)
    module = relax.transform.Normalize()(_with_sizes(module, name, inputs))
    return _draft(module, name, inputs)


def _entry(module: ir.IRModule) -> str:
    functions = [var.name_hint for var, function in module.functions.items() if isinstance(function, relax.Function)]
    if "main" in functions:
        return "main"
    if len(functions) == 1:
        return functions[0]
    told = f"has the functions {', '.join(functions)}" if functions else "has no Relax function"
    raise ModelError(f"The module {told}; qdsl quantizes one function, named main where there are several.")


def _inlined(module: ir.IRModule, name: str) -> ir.IRModule:
    """The module with the Relax functions that `name` calls put in their place."""
    others = {
        var: function
        for var, function in module.functions.items()
        if isinstance(function, relax.Function) and var.name_hint != name
    }
    if not others:
        return module
    try:
        whole = module[name].inline_functions(others)
    except Exception:  # recursion, or a signature that does not fit
        called = ", ".join(var.name_hint for var in others)
        raise ModelError(f"The functions {called} cannot be put in place of their calls in '{name}'.") from None
    kernels = {var: f for var, f in module.functions.items() if not isinstance(f, relax.Function)}
    return ir.IRModule({ir.GlobalVar(name): whole, **kernels})


def _bound(module: ir.IRModule, name: str, params: Mapping[str, Any]) -> ir.IRModule:
    """The module with parameters bound: by name, or {"main": [arrays]} as relax.frontend.detach_params gives them."""
    if not params:
        return module
    variables = {var.name: var for var in module[name].params}
    given = params.get(name)
    if name not in variables and isinstance(given, Sequence):
        weights = module[name].params[len(module[name].params) - len(given) :]
        params = {var.name: array for var, array in zip(weights, given, strict=True)}
    for key in params:
        if key not in variables:
            raise ModelError(
                f"params= names '{key}', but '{name}' has no such parameter.{did_you_mean(key, variables)} "
                f"Its parameters are: {', '.join(variables)}."
            )
    arrays = {key: _fitting(variables[key], value) for key, value in params.items()}
    return relax.transform.BindParams(name, arrays)(module)


def _fitting(var: relax.Var, value: Any) -> tvm.runtime.Tensor:
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    shape = shape_of(var)
    if (shape is not None and shape != array.shape) or str(array.dtype) != dtype_of(var):
        raise ModelError(
            f"params= gives '{var.name}' as {array.dtype} of shape {list(array.shape)}, and the module takes "
            f"{dtype_of(var)} of shape {'any' if shape is None else list(shape)}."
        )
    return tvm.runtime.tensor(array)


def _declared(var: relax.Var) -> DeclaredInput:
    if not isinstance(var.ty, relax.TensorType):
        raise ModelError(f"Parameter '{var.name}' is no tensor; bind weights before, or give them by params=.")
    shape = var.ty.shape
    dims = tuple(_dim(dim) for dim in shape.values) if isinstance(shape, relax.ShapeExpr) else None
    return DeclaredInput(var.name, str(var.ty.dtype), dims)


def _dim(dim: ir.Expr) -> Dim:
    return int(dim.value) if hasattr(dim, "value") else str(dim)


def _with_sizes(module: ir.IRModule, name: str, inputs: Sequence[InputSpec]) -> ir.IRModule:
    """The module with its symbolic sizes replaced by those of `inputs`."""
    sizes: dict[tvm.tirx.Var, int] = {}
    for var, spec in zip(module[name].params, inputs, strict=True):
        if not isinstance(var.ty.shape, relax.ShapeExpr):
            raise ModelError(f"Parameter '{var.name}' has no known rank; give it a shape in the module.")
        for dim, size in zip(var.ty.shape.values, spec.shape, strict=True):
            if isinstance(dim, tvm.tirx.Var):
                sizes[dim] = size
    if not sizes:
        return module
    kernels = {var: f for var, f in module.functions.items() if not isinstance(f, relax.Function)}
    return ir.IRModule({ir.GlobalVar(name): module[name].bind_symbolic_vars(sizes), **kernels})


def _draft(module: ir.IRModule, name: str, inputs: Sequence[InputSpec]) -> Loaded:
    function = module[name]
    reader = _Reader()
    for block in function.body.blocks:
        for binding in block.bindings:
            reader.read(binding)
    outputs, names = reader.outputs(function.body.body)
    supply = NameSupply()
    specs = tuple(replace(spec, variable=supply.fresh(variable_name(spec.name))) for spec in inputs)
    parameters = tuple(relax.Var(spec.variable, relax.TensorType(spec.shape, spec.dtype)) for spec in specs)
    aliases = tuple(Binding(old, new, "") for old, new in zip(function.params, parameters, strict=True))
    kernels = {var.name_hint: f for var, f in module.functions.items() if not isinstance(f, relax.Function)}
    single = not isinstance(function.body.body.ty, relax.TupleType)
    draft = Draft(parameters, (*aliases, *reader.bindings), outputs, kernels, single)
    return draft, specs, names, tuple(reader.operators)


class _Reader:
    """Reads bindings one by one and gives each the operator it belongs to."""

    def __init__(self) -> None:
        self.bindings: list[Binding] = []
        self.operators: list[SourceOperator] = []
        self._owner: dict[relax.Var, str] = {}
        self._tuples: dict[relax.Var, relax.Expr] = {}
        self._names = NameSupply()

    def read(self, binding: relax.Binding) -> None:
        value = binding.value
        _refuse_control_flow(binding)
        operator = self._operator_of(binding.var, value)
        self._owner[binding.var] = operator
        self._tuples[binding.var] = self._tuples.get(value, value)
        self.bindings.append(Binding(binding.var, value, operator))

    def _operator_of(self, var: relax.Var, value: relax.Expr) -> str:
        if not isinstance(value, relax.Call):
            whole = value.tuple_value if isinstance(value, relax.TupleGetItem) else value
            return self._owner.get(whole, var.name)
        told = operator_of(value.span)
        if told is not None and self.operators and self.operators[-1].name == told:
            return told
        name = self._names.fresh(told or var.name)
        self.operators.append(SourceOperator(name, _kind(value)))
        return name

    def outputs(self, body: relax.Expr) -> tuple[tuple[relax.Expr, ...], tuple[str, ...]]:
        """The leaves that the function returns, and a name for each."""
        whole = self._tuples.get(body, body) if isinstance(body.ty, relax.TupleType) else body
        if isinstance(whole, relax.Call):
            items: list[relax.Expr] = []
            for index in range(len(body.ty.fields)):
                item = relax.Var(f"{body.name}_{index}", body.ty.fields[index])
                self.bindings.append(Binding(item, relax.TupleGetItem(body, index), self._owner[body]))
                items.append(item)
        else:
            items = list(whole.fields) if isinstance(whole, relax.Tuple) else [whole]
        for item in items:
            if not isinstance(item.ty, relax.TensorType):
                raise ModelError("The function returns something that is no tensor, and qdsl handles tensors only.")
        supply = NameSupply()
        return tuple(items), tuple(supply.fresh(getattr(item, "name", "output")) for item in items)


def _kind(call: relax.Call) -> str:
    name = call.op.name.removeprefix("relax.")
    return call.args[0].name_hint if name == "call_tir" else name


def _refuse_control_flow(binding: relax.Binding) -> None:
    value = binding.value
    if isinstance(value, relax.If):
        raise ModelError(f"'{binding.var.name}' depends on a condition; qdsl needs a function without branches.")
    if isinstance(value, relax.Function):
        raise ModelError(f"'{binding.var.name}' is a local function; lift it, or put it in place of its calls.")
    if isinstance(value, relax.Call):
        if not isinstance(value.op, ir.Op):
            raise ModelError(f"'{binding.var.name}' calls {value.op}, which is no operator that qdsl can read.")
        if not value.op.get_attr("FPurity"):
            raise ModelError(f"'{binding.var.name}' calls {value.op.name}, which has side effects.")
