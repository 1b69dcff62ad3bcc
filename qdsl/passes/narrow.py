"""store_lowbit_output: an accumulator that leaves the integer region is narrowed to 8 bits first.

Off by default: an accumulator that a float operator or a model output reads is otherwise dequantized exactly.
"""

from __future__ import annotations

from collections.abc import Mapping

from tvm import IRModule, relax

from qdsl import dialect
from qdsl.errors import ConfigError
from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.match.graph import Graph, flat_operands
from qdsl.passes.annotate import labels
from qdsl.passes.rebuild import Emit, main_graph, rebuild_function, with_operands


def narrow_leaving(module: IRModule, schemes: Mapping[str, SchemeType]) -> IRModule:
    """The annotated module with a coercion on every edge from an int32 value to a float reader.

    The format is the first 8- to 16-bit activation scheme of the rules. Raises ConfigError where there is none.
    """
    scheme = next((s for s in schemes.values() if not s.is_accumulator and not s.per_channel and not s.narrow), None)
    if scheme is None:
        raise ConfigError("store_lowbit_output: the rules have no scheme for activations of at most 16 bits")
    annotated = main_graph(module)
    accumulators = {b.var for b in annotated.bindings if _is_accumulator(b.value)}
    inside = _operators_of_rules(annotated)

    def write(emit: Emit) -> Mapping[relax.Var, relax.Expr]:
        became: dict[relax.Var, relax.Expr] = {}
        narrowed: dict[relax.Var, relax.Expr] = {}

        def leaving(old: relax.Var) -> relax.Expr:
            if old not in narrowed:
                symbol = f"{old.name}.{scheme.name}"
                zero = scheme.zero_for_symmetric if scheme.symmetric else symbol
                format = Format(scheme, Scale.of(symbol), zero)
                call = dialect.simulated_quantize(became[old], rule="store_lowbit_output", **labels(format))
                narrowed[old] = emit(call, f"{old.name}_{scheme.name}")
            return narrowed[old]

        for binding in annotated.bindings:
            reads_float = not dialect.is_call(binding.value) and binding.var not in inside

            def operand(old: relax.Expr, _: int, reads_float: bool = reads_float) -> relax.Expr:
                if not isinstance(old, relax.Var):
                    return old
                return leaving(old) if reads_float and old in accumulators else became.get(old, old)

            became[binding.var] = emit(with_operands(binding.value, operand), str(binding.var.name))
        for output in annotated.outputs:
            if output in accumulators:
                became[output] = leaving(output)
        return became

    return rebuild_function(module, annotated, write)


def _is_accumulator(value: relax.Expr) -> bool:
    return dialect.is_call(value, "annotated") and dialect.attributes(value).get("dtype") == "int32"


def _operators_of_rules(graph: Graph) -> set[relax.Var]:
    """Operators that a realize clause replaces: what they read, they do not read in float."""
    calls = [b.value for b in graph.bindings if dialect.is_call(b.value, "annotated")]
    return {var for call in calls for var in inside_of(graph, call)}


def inside_of(graph: Graph, call: relax.Call) -> set[relax.Var]:
    """The operators of the match behind an `annotated` call, down to the values at its boundary."""
    inside: set[relax.Var] = set()
    boundary = {c for c in dialect.captures_of(call) if isinstance(c, relax.Var)}
    stack = [call.args[0]]
    while stack:
        var = stack.pop()
        if isinstance(var, relax.Var) and var not in inside and var not in boundary and var in graph.value_of:
            inside.add(var)
            stack += list(flat_operands(graph.value_of[var]))
    return inside
