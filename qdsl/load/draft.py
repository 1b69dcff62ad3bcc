"""A Relax function as loading works on it: bindings in a list, each with the operator it came from.

Passes read a draft and write a new one; only `build` makes Relax blocks, names and spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import tvm
from tvm import ir, relax

from qdsl.load.names import NameSupply, variable_name
from qdsl.load.origin import operator_span


@dataclass(frozen=True)
class Binding:
    """`var = value`, where value is a Call, a TupleGetItem, or (outputs only) a leaf."""

    var: relax.Var
    value: relax.Expr
    operator: str
    """The name of the operator of the user's model that this belongs to."""


@dataclass(frozen=True)
class Draft:
    """A function body in A-normal form: an operand is a variable, a constant, a shape, a number or a tuple of them."""

    inputs: tuple[relax.Var, ...]
    bindings: tuple[Binding, ...]
    outputs: tuple[relax.Expr, ...]
    """Leaves: variables or constants."""
    kernels: Mapping[str, ir.BaseFunc]
    """PrimFuncs that call_tir names, by the name of their global variable."""
    single: bool = True
    """Whether `main` returns its only output bare, not in a tuple."""


def leaves(expr: relax.Expr) -> Iterator[relax.Expr]:
    """The leaf operands of a bound value, those inside tuples included."""
    if isinstance(expr, relax.Call):
        for argument in expr.args:
            yield from leaves(argument)
    elif isinstance(expr, relax.Tuple):
        for item in expr.fields:
            yield from leaves(item)
    elif isinstance(expr, relax.TupleGetItem):
        yield from leaves(expr.tuple_value)
    else:
        yield expr


def substitute(expr: relax.Expr, change: Mapping[relax.Expr, relax.Expr], span: ir.Span | None = None) -> relax.Expr:
    """`expr` with its variables exchanged; Calls and items are always made anew and carry `span`."""
    if isinstance(expr, relax.Var):
        return change.get(expr, expr)
    if isinstance(expr, relax.Tuple):
        return relax.Tuple([substitute(item, change) for item in expr.fields])
    if isinstance(expr, relax.TupleGetItem):
        return relax.TupleGetItem(substitute(expr.tuple_value, change), expr.index, span=span)
    if isinstance(expr, relax.Call):
        arguments = [substitute(argument, change) for argument in expr.args]
        return relax.Call(expr.op, arguments, expr.attrs, expr.ty_args, span=span)
    return expr


def without_dead(draft: Draft) -> Draft:
    """The draft without bindings that no output needs."""
    needed = {leaf for output in draft.outputs for leaf in leaves(output) if isinstance(leaf, relax.Var)}
    kept = []
    for binding in reversed(draft.bindings):
        if binding.var in needed:
            kept.append(binding)
            needed.update(leaf for leaf in leaves(binding.value) if isinstance(leaf, relax.Var))
    return Draft(draft.inputs, tuple(reversed(kept)), draft.outputs, draft.kernels, draft.single)


def build(draft: Draft) -> ir.IRModule:
    """The module: one function `main`, one dataflow block, a span on every bound Call and item, readable names."""
    names = NameSupply(var.name for var in draft.inputs)
    for var in draft.inputs:
        names.claim(var.name)
    last = {binding.operator: position for position, binding in enumerate(draft.bindings)}
    returned = {output for output in draft.outputs if isinstance(output, relax.Var)} - set(draft.inputs)

    change: dict[relax.Expr, relax.Expr] = {}
    bindings = []
    builder = relax.BlockBuilder()
    for position, binding in enumerate(draft.bindings):
        base = variable_name(binding.operator)
        name = names.fresh(base if last[binding.operator] == position else f"{base}_{_short_name(binding.value)}")
        span = operator_span(binding.operator)
        value = builder.normalize(substitute(binding.value, change, span))
        kind = relax.Var if binding.var in returned else relax.DataflowVar
        change[binding.var] = kind(name, value.ty)
        bindings.append(relax.VarBinding(change[binding.var], value))

    outputs = []
    for position, output in enumerate(draft.outputs):
        if isinstance(output, relax.Var):
            outputs.append(change.get(output, output))
            continue
        var = relax.Var(names.fresh(f"constant_output_{position}"), output.ty)
        bindings.append(relax.VarBinding(var, output))
        outputs.append(var)
    result = outputs[0] if draft.single and len(outputs) == 1 else relax.Tuple(outputs)
    body = builder.normalize(relax.SeqExpr([relax.DataflowBlock(bindings)], result))
    function = relax.Function(list(draft.inputs), body).with_attr("global_symbol", "main")
    return _module(function, draft.kernels, bindings)


def _module(
    function: relax.Function, kernels: Mapping[str, ir.BaseFunc], bindings: Sequence[relax.VarBinding]
) -> ir.IRModule:
    called = {
        leaf: leaf.name_hint for binding in bindings for leaf in leaves(binding.value) if isinstance(leaf, ir.GlobalVar)
    }
    functions = {variable: kernels[name] for variable, name in called.items()}
    return ir.IRModule({ir.GlobalVar("main"): function, **functions})


def _short_name(value: relax.Expr) -> str:
    """'conv2d' for relax.nn.conv2d; 'item' for a TupleGetItem."""
    if isinstance(value, relax.TupleGetItem):
        return "item"
    if isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.Op):
        return value.op.name.rsplit(".", 1)[-1]
    return "value"


def use_counts(draft: Draft) -> Counter[relax.Var]:
    """How many operand positions and outputs read each variable."""
    read = [leaf for binding in draft.bindings for leaf in leaves(binding.value)]
    return Counter(leaf for leaf in [*read, *draft.outputs] if isinstance(leaf, relax.Var))
