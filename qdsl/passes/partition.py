"""partition_conversions: an integer module as three functions and the one that calls them.

    quantize_inputs       the model's inputs, in the format in which the network reads them
    quantized_main        everything between
    dequantize_outputs    float32 results

An accelerator that computes in integers alone is given `quantized_main`. What reads an input in float or gives a float
result without a conversion stays in there; `fully_integral` refuses that, by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tvm import IRModule, ir, relax

from qdsl import dialect
from qdsl.errors import RuleError
from qdsl.match.graph import Graph, dtype_of, flat_operands, operator_name, origin
from qdsl.passes.rebuild import fresh_name, function_name, main_graph, with_operands

FIRST, MIDDLE, LAST = "quantize_inputs", "quantized_main", "dequantize_outputs"


@dataclass(frozen=True)
class Part:
    """One of the three functions."""

    name: str
    bindings: Sequence[relax.VarBinding]
    reads: Sequence[relax.Var]
    gives: Sequence[relax.Var]


def partition(module: IRModule, mode: str) -> IRModule:
    """The module split as `mode` says: "disabled", "enabled" or "fully_integral".

    Raises RuleError for "fully_integral" where something between the conversions computes in float.
    """
    if mode == "disabled" or is_partitioned(module):
        return module
    graph = main_graph(module)
    parts = _parts(graph)
    if mode == "fully_integral":
        _refuse_float(graph, parts[1])
    return _assembled(module, graph, [p for p in parts if p.gives])


def is_partitioned(module: IRModule) -> bool:
    return any(v.name_hint == MIDDLE for v in module.get_global_vars())


def _parts(graph: Graph) -> list[Part]:
    parameters = list(graph.function.params)
    outputs = list(dict.fromkeys(graph.outputs))
    first = [b for b in graph.bindings if dialect.is_call(b.value, "quantize") and b.value.args[0] in parameters]
    ready = {b.var for b in first}
    last = [
        b
        for b in graph.bindings
        if dialect.is_call(b.value, "dequantize")
        and b.var not in ready
        and all(r.var is None for r in graph.reads(b.var))
    ]
    done = {b.var for b in last}
    middle = [b for b in graph.bindings if b.var not in ready and b.var not in done]
    last_reads = _reads(last)
    gives = list(dict.fromkeys([*last_reads, *(o for o in outputs if o not in done)]))
    made = {b.var for b in middle}
    reads = list(dict.fromkeys([*(v for v in _reads(middle) if v not in made), *(v for v in gives if v not in made)]))
    return [
        Part(FIRST, first, _reads(first), [b.var for b in first]),
        Part(MIDDLE, middle, reads, gives),
        Part(LAST, last, last_reads, [b.var for b in last]),
    ]


def _reads(bindings: Iterable[relax.VarBinding]) -> list[relax.Var]:
    """The variables that some bindings read, in order."""
    found = (o for b in bindings for o in flat_operands(b.value) if isinstance(o, relax.Var))
    return list(dict.fromkeys(found))


def _refuse_float(graph: Graph, middle: Part) -> None:
    floats = [b for b in middle.bindings if operator_name(b.value) and str(dtype_of(b.var)).startswith("float")]
    named = dict.fromkeys(f"{origin(b.value) or b.var.name} ({operator_name(b.value)})" for b in floats)
    bare = dict.fromkeys(str(v.name) for v in middle.reads if str(dtype_of(v)).startswith("float"))
    if floats or bare:
        raise RuleError(
            "partition_conversions = fully_integral: between the conversions these are in float: "
            f"{', '.join([*named, *bare])}. Give them a rule, or use partition_conversions = enabled."
        )


def _assembled(module: IRModule, graph: Graph, parts: Sequence[Part]) -> IRModule:
    kernels = {v: f for v, f in module.functions.items() if not isinstance(f, relax.Function)}
    builder = relax.BlockBuilder(IRModule(kernels, attrs=module.attrs))
    became: dict[relax.Var, relax.Var] = {p: p for p in graph.function.params}
    taken = {str(p.name) for p in graph.function.params}
    bindings: list[relax.VarBinding] = []

    def bind(value: relax.Expr, hint: str, published: bool = False) -> relax.Var:
        normal = builder.normalize(value)
        kind = relax.Var if published else relax.DataflowVar
        bindings.append(relax.VarBinding(kind(fresh_name(hint, taken), normal.ty), normal))
        return bindings[-1].var

    outputs = set(graph.outputs)
    for part in parts:
        function = builder.add_func(_function(part, builder), part.name)
        whole = bind(relax.Call(function, [became[v] for v in part.reads]), f"{part.name}_results")
        for index, value in enumerate(part.gives):
            became[value] = bind(relax.TupleGetItem(whole, index), str(value.name), value in outputs)
    results = [became[o] for o in graph.outputs]
    single = not isinstance(graph.function.body.body.ty, relax.TupleType)
    function = _closed(graph.function.params, bindings, results[0] if single else relax.Tuple(results), builder)
    if graph.function.attrs is not None:
        function = function.with_attrs(dict(graph.function.attrs.items()))
    builder.add_func(function, function_name(module))
    return builder.get()


def _function(part: Part, builder: relax.BlockBuilder) -> relax.Function:
    became: dict[relax.Var, relax.Var] = {v: relax.Var(str(v.name), v.ty) for v in part.reads}
    parameters = list(became.values())
    gives = set(part.gives)
    bindings: list[relax.VarBinding] = []
    for binding in part.bindings:
        value = builder.normalize(_renamed(binding.value, became))
        kind = relax.Var if binding.var in gives else relax.DataflowVar
        became[binding.var] = kind(str(binding.var.name), binding.var.ty)
        bindings.append(relax.VarBinding(became[binding.var], value))
    function = _closed(parameters, bindings, relax.Tuple([became[v] for v in part.gives]), builder)
    return function.with_attr("global_symbol", part.name)


def _renamed(value: relax.Expr, names: Mapping[relax.Var, relax.Var]) -> relax.Expr:
    return with_operands(value, lambda o, _: names.get(o, o) if isinstance(o, relax.Var) else o)


def _closed(
    parameters: Sequence[relax.Var],
    bindings: Sequence[relax.VarBinding],
    result: relax.Expr,
    builder: relax.BlockBuilder,
) -> relax.Function:
    blocks = [relax.DataflowBlock(list(bindings))] if bindings else []
    body = builder.normalize(relax.SeqExpr(blocks, builder.normalize(result)))
    return relax.Function(list(parameters), body, body.ty, True)


def joined(module: IRModule) -> IRModule:
    """A partitioned module as one function again; any other as it is."""
    if not is_partitioned(module):
        return module
    name = function_name(module)
    inner = {v: f for v, f in module.functions.items() if v.name_hint in (FIRST, MIDDLE, LAST)}
    others = {v: f for v, f in module.functions.items() if v not in inner and v.name_hint != name}
    whole = module[name].inline_functions(inner)
    flat = IRModule({**others, ir.GlobalVar(name): whole}, attrs=module.attrs)
    return relax.transform.CanonicalizeBindings()(relax.transform.Normalize()(flat))
