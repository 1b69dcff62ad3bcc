"""Writing a function anew, binding by binding, with names and origins kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tvm import IRModule, ir, relax

from qdsl.match.graph import Graph, flat_operands

Emit = Callable[[relax.Expr, str], relax.Var]
"""Binds an expression to a new variable of (about) this name."""


def with_operands(value: relax.Expr, replace: Callable[[relax.Expr, int], relax.Expr]) -> relax.Expr:
    """A bound value with its operands replaced; `replace` gets the operand and its position (a tuple's items share
    it)."""
    if isinstance(value, relax.Call):
        args = [_operand(a, i, replace) for i, a in enumerate(value.args)]
        return relax.Call(value.op, args, attrs=value.attrs, ty_args=value.ty_args, span=value.span)
    if isinstance(value, relax.Tuple):
        return relax.Tuple([replace(f, 0) for f in value.fields], span=value.span)
    if isinstance(value, relax.TupleGetItem):
        return relax.TupleGetItem(replace(value.tuple_value, 0), value.index, span=value.span)
    return replace(value, 0)


def _operand(arg: relax.Expr, position: int, replace: Callable[[relax.Expr, int], relax.Expr]) -> relax.Expr:
    if isinstance(arg, relax.Tuple):
        return relax.Tuple([_operand(f, position, replace) for f in arg.fields], span=arg.span)
    return replace(arg, position)


def rebuild_function(
    module: IRModule,
    graph: Graph,
    write: Callable[[Emit], Mapping[relax.Var, relax.Expr]],
    results: Callable[[], Sequence[relax.Expr]] | None = None,
    more_parameters: Callable[[], Sequence[relax.Var]] | None = None,
) -> IRModule:
    """The module with its main function written anew by `write`, which returns what became of each old variable.

    Other functions of the module (kernels that the importer left) are kept. Output names, parameters and attributes
    stay. With `results`, asked once everything is written, the function returns the tuple of those values instead.
    """
    function = graph.function
    builder = relax.BlockBuilder(module)
    taken = {str(p.name) for p in function.params}
    bindings: list[relax.VarBinding] = []

    def emit(expr: relax.Expr, hint: str) -> relax.Var:
        normal = builder.normalize(expr)
        var = relax.DataflowVar(fresh_name(hint, taken), normal.ty)
        bindings.append(relax.VarBinding(var, normal))
        return var

    became = write(emit)
    outputs = [became.get(o, o) for o in graph.outputs] if results is None else list(results())
    names = [str(o.name) for o in graph.outputs] if results is None else [f"result{i}" for i in range(len(outputs))]
    bindings, outputs = _publish(bindings, outputs, names, taken)
    single = results is None and not isinstance(function.body.body.ty, relax.TupleType)
    result = outputs[0] if single else relax.Tuple(outputs)
    body = builder.normalize(relax.SeqExpr([relax.DataflowBlock(bindings)], builder.normalize(result)))
    parameters = [*function.params, *(more_parameters() if more_parameters is not None else ())]
    written = relax.Function(parameters, body, result.ty, function.is_pure)
    if function.attrs is not None:
        written = written.with_attrs(dict(function.attrs.items()))
    rebuilt = IRModule(dict(module.functions.items()), attrs=module.attrs)
    rebuilt.update_func(module.get_global_var(function_name(module)), written)
    return rebuilt


def _publish(
    bindings: list[relax.VarBinding], outputs: list[relax.Expr], names: list[str], taken: set[str]
) -> tuple[list[relax.VarBinding], list[relax.Expr]]:
    """Bindings in which the returned values are bound to variables that outlive the block."""
    bound = {b.var for b in bindings}
    published: dict[relax.Var, relax.Var] = {}
    extra: list[relax.VarBinding] = []
    returned: list[relax.Expr] = []
    for output, name in zip(outputs, names, strict=True):
        if isinstance(output, relax.Var) and output in bound:
            var = published.setdefault(output, relax.Var(str(output.name), output.ty))
        else:  # a parameter or a constant that is returned as it is
            var = relax.Var(fresh_name(name, taken), output.ty)
            extra.append(relax.VarBinding(var, output))
        returned.append(var)

    def renamed(operand: relax.Expr, _: int) -> relax.Expr:
        return published.get(operand, operand) if isinstance(operand, relax.Var) else operand

    renewed: list[relax.VarBinding] = []
    for binding in bindings:
        value = binding.value
        if published and any(isinstance(o, relax.Var) and o in published for o in flat_operands(value)):
            value = relax.BlockBuilder().normalize(with_operands(value, renamed))
        renewed.append(relax.VarBinding(published.get(binding.var, binding.var), value))
    return renewed + extra, returned


def fresh_name(hint: str, taken: set[str]) -> str:
    """The hint, or the hint with the first number that makes it new; the name is taken from then on."""
    name, count = hint, 0
    while name in taken:
        count += 1
        name = f"{hint}_{count}"
    taken.add(name)
    return name


def function_name(module: IRModule) -> str:
    """The name of the function that a pass works on: `main`, or the only Relax function there is."""
    names = [gv.name_hint for gv, f in module.functions.items() if isinstance(f, relax.Function)]
    return "main" if "main" in names or not names else names[0]


def main_graph(module: IRModule) -> Graph:
    """The graph of a module's main function."""
    return Graph(module[function_name(module)])


def drop_dead(module: IRModule) -> IRModule:
    """The module without bindings that nothing reads."""
    return relax.transform.DeadCodeElimination([function_name(module)])(module)


def spanned(call: relax.Call, like: relax.Expr) -> relax.Call:
    """A call that carries the origin of another expression."""
    return relax.Call(call.op, call.args, attrs=call.attrs, ty_args=call.ty_args, span=getattr(like, "span", None))


def flat(values: Sequence[relax.Expr]) -> list[relax.Expr]:
    """Operands with tuples opened."""
    return [f for v in values for f in (v.fields if isinstance(v, relax.Tuple) else [v])]


def node_span(name: str) -> ir.Span:
    """The span that marks an expression as part of an operator of the original model."""
    return ir.Span(ir.SourceName(name), 1, 1, 1, 1)
