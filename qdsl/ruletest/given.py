"""The `given` of a test as a Relax module, and the inputs it is run on.

Inputs are seeded random numbers and corners: all equal, zero, extremes, one huge channel. Constants are seeded by the
rule's and the test's names, so that a test is the same on every machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tvm import IRModule, relax

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.match.graph import flat_operands
from qdsl.passes.rebuild import fresh_name, node_span
from qdsl.realize.evaluate import Evaluator
from qdsl.realize.values import Host, Several, Tensor, Value

Array = NDArray[Any]


def seed_of(test: tree.Test) -> int:
    """A seed that depends on the test's names alone."""
    return zlib.crc32(f"{test.rule}/{test.title}".encode())


def build_given(test: tree.Test, defs: Mapping[str, tree.Def]) -> IRModule:
    """The module of a test: inputs as parameters, constants bound, every value that nothing reads as an output.

    Raises RuleError where an expression cannot be built, with its place.
    """
    generator = np.random.default_rng(seed_of(test))
    names: dict[str, Value] = {}
    parameters: list[relax.Var] = []
    for item in test.given:
        if not isinstance(item, tree.Input):
            continue
        if item.const:
            array = constant_array(item, generator)
            names[item.name] = Host(array, None, relax.const(array))
        else:
            var = relax.Var(item.name, relax.TensorType(item.dims, item.dtype))
            parameters.append(var)
            names[item.name] = Tensor(var)
    builder = relax.BlockBuilder()
    taken = {i.name for i in test.given if isinstance(i, tree.Input)}
    current = ["value"]
    made: list[relax.VarBinding] = []

    def emit(call: relax.Expr) -> relax.Expr:
        if isinstance(call, relax.Call):
            call = relax.Call(call.op, call.args, attrs=call.attrs, ty_args=call.ty_args, span=node_span(current[0]))
        value = builder.normalize(call)
        made.append(relax.VarBinding(relax.DataflowVar(fresh_name(current[0], taken), value.ty), value))
        return made[-1].var

    evaluator = Evaluator(names, {}, emit, defs)
    for item in test.given:
        if isinstance(item, tree.Binding):
            current[0] = next((t.id for t in item.targets if not isinstance(t, tree.IgnoredTarget)), "value")
            evaluator.run((item,))
    return _module(parameters, _with_outputs(made, named_values(names), test))


def named_values(names: Mapping[str, Value]) -> set[relax.Var]:
    """The variables that a test has names for."""
    several = [v.items if isinstance(v, Several) else (v,) for v in names.values()]
    return {v.expr for values in several for v in values if isinstance(v, Tensor) and isinstance(v.expr, relax.Var)}


def _with_outputs(made: list[relax.VarBinding], named: set[relax.Var], test: tree.Test) -> list[relax.VarBinding]:
    """The bindings, those that nothing reads bound to variables that can be returned; results without a name go."""
    read = {o for b in made for o in flat_operands(b.value) if isinstance(o, relax.Var)}
    kept = [b for b in made if b.var in read or (isinstance(b.var.ty, relax.TensorType) and b.var in named)]
    if not kept:
        raise RuleError(f"{test.span}: the test {test.title!r} makes no value")
    return [b if b.var in read else relax.VarBinding(relax.Var(str(b.var.name), b.var.ty), b.value) for b in kept]


def _module(parameters: list[relax.Var], bindings: list[relax.VarBinding]) -> IRModule:
    outputs = [b.var for b in bindings if not isinstance(b.var, relax.DataflowVar)]
    result = outputs[0] if len(outputs) == 1 else relax.Tuple(outputs)
    body = relax.BlockBuilder().normalize(relax.SeqExpr([relax.DataflowBlock(bindings)], result))
    function = relax.Function(parameters, body, result.ty).with_attr("global_symbol", "main")
    return IRModule({relax.GlobalVar("main"): function})


def constant_array(item: tree.Input, generator: np.random.Generator) -> Array:
    """Random numbers of an input's dtype and shape; floats around 0, with a spread per leading channel."""
    if not item.dtype.startswith("float"):
        return generator.integers(0, 4, item.dims).astype(item.dtype)
    array = generator.standard_normal(item.dims)
    if len(item.dims) > 1:
        array *= np.exp(generator.normal(0, 0.5, (item.dims[0],) + (1,) * (len(item.dims) - 1)))
    return array.astype(item.dtype)


def sample_inputs(test: tree.Test) -> list[dict[str, Array]]:
    """The inputs that a test is run on: random ones, then corners."""
    generator = np.random.default_rng(seed_of(test) + 1)
    inputs = [i for i in test.given if isinstance(i, tree.Input) and not i.const]
    samples = [{i.name: constant_array(i, generator) for i in inputs} for _ in range(3)]
    samples += [{i.name: np.full(i.dims, value, i.dtype) for i in inputs} for value in (0, 1)]
    huge: dict[str, Array] = {}
    for item in inputs:
        array = constant_array(item, generator)
        if item.dtype.startswith("float") and len(item.dims) > 1 and item.dims[1] > 1:
            array[:, 0] *= 100
        huge[item.name] = array
    return [
        *samples,
        huge,
        {i.name: -samples[0][i.name] if i.dtype.startswith("float") else samples[0][i.name] for i in inputs},
    ]
