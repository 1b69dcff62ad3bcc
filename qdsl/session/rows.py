"""The report's rows: one for each operator of the original model, from what every stage decided about its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import IRModule, relax

from qdsl import dialect
from qdsl.load import SourceOperator
from qdsl.match.graph import flat_operands, is_constant, operator_name, origin
from qdsl.passes.fold import FoldTrace
from qdsl.passes.narrow import inside_of
from qdsl.passes.partition import joined
from qdsl.passes.plan import Decision
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sites import Site
from qdsl.passes.solve import Numbers
from qdsl.report import Row
from qdsl.session.measure import Difference


@dataclass(frozen=True)
class Shown:
    """A format in numbers, as a row shows it."""

    scheme: str
    bits: int
    scale: float | tuple[float, ...]
    zero_point: int


def make_rows(
    operators: Sequence[SourceOperator],
    trace: FoldTrace,
    decisions: Sequence[Decision],
    formats: Mapping[str, Shown],
    errors: Mapping[str, Difference],
) -> tuple[Row, ...]:
    """A row for each operator of the model. `formats` and `errors` are by the name of a value."""
    by_origin: dict[str, list[Decision]] = {}
    for decision in decisions:
        if decision.origin is not None:
            by_origin.setdefault(decision.origin, []).append(decision)
    absorbed = {name: f.fold for f in trace.applied for name in f.absorbed}
    return tuple(
        _row(operator, by_origin.get(operator.name, []), absorbed.get(operator.name), formats, errors)
        for operator in operators
    )


def _row(
    operator: SourceOperator,
    decisions: Sequence[Decision],
    fold: str | None,
    formats: Mapping[str, Shown],
    errors: Mapping[str, Difference],
) -> Row:
    if not decisions:
        if fold is not None:
            return Row(operator.name, operator.op, "folded", fold, f"folded by the rule {fold}")
        why = "computed from constants while loading" if operator.constant else "needs no computation in canonical form"
        return Row(operator.name, operator.op, "folded", None, why)
    outcome = _outcome(decisions)
    telling = next(d for d in decisions if d.outcome == outcome)
    last = decisions[-1]
    rules = list(dict.fromkeys(d.rule for d in decisions if d.rule is not None))
    reason = telling.reason if outcome != "quantized" else _how(decisions)
    if fold is not None and outcome == "quantized":
        reason = f"{reason}; carries the result of {fold}"
    shown = formats.get(last.var)
    error = errors.get(last.var)
    return Row(
        operator.name,
        operator.op,
        outcome,
        " + ".join(rules) if outcome == "quantized" else None,
        reason,
        shown.scheme if shown else None,
        shown.bits if shown else None,
        shown.scale if shown else None,
        shown.zero_point if shown else None,
        error.sqnr_db if error else None,
    )


def _outcome(decisions: Sequence[Decision]) -> str:
    """Float where any part is, skipped where any part is; quantized only as a whole."""
    for outcome in ("skipped", "float"):
        if any(d.outcome == outcome for d in decisions):
            return outcome
    return "quantized"


def _how(decisions: Sequence[Decision]) -> str:
    texts = [d.reason for d in decisions if d.reason]
    return texts[0] if texts else ""


def shown_formats(sites: Sequence[Site], numbers: Numbers) -> dict[str, Shown]:
    """By value: the format in which readers take it, else the one in which it was made."""
    made: dict[str, Shown] = {}
    read: dict[str, Shown] = {}
    for site in sites:
        if is_constant(site.value):
            continue
        scale, zero = numbers.of(site)
        shown = Shown(site.format.scheme.name, site.format.scheme.used_bits, _plain(scale), zero)
        (read if site.is_edge else made).setdefault(str(site.value.name), shown)
    return {**made, **read}


def _plain(scale: np.ndarray) -> float | tuple[float, ...]:
    return float(scale) if scale.ndim == 0 else tuple(float(s) for s in scale)


def count_conversions(module: IRModule) -> dict[str, int]:
    """Conversions between operators, read off an annotated module: one for each value and format, whatever its readers.

    Those that a realize clause makes inside itself (a curve computed on an accumulator) are part of its operator.
    """
    graph = main_graph(module)
    integers = {b.var for b in graph.bindings if is_integer(b.value)}
    inside = {v for b in graph.bindings if dialect.is_call(b.value, "annotated") for v in inside_of(graph, b.value)}
    edges = [b.value for b in graph.bindings if dialect.is_call(b.value, "simulated_quantize")]
    sources = [e.args[0] for e in edges if not is_constant(e.args[0])]
    left: set[relax.Var] = set(graph.outputs) & integers
    for binding in graph.bindings:
        if dialect.is_call(binding.value, "annotated"):
            how = dialect.attributes(binding.value)["reads"]
            read = [c for c, h in zip(dialect.captures_of(binding.value), how, strict=True) if h == "float"]
        elif dialect.is_call(binding.value) or binding.var in inside:
            continue
        else:
            read = list(flat_operands(binding.value))
        left |= {v for v in read if isinstance(v, relax.Var) and v in integers}
    return {
        "quantize_ops": sum(s not in integers for s in sources),
        "requantize_ops": sum(s in integers for s in sources),
        "dequantize_ops": len(left),
    }


def is_integer(value: relax.Expr) -> bool:
    """Whether an annotated or simulated call stands for codes."""
    return dialect.is_call(value, "annotated", "simulated_quantize") and "on_scale" in dialect.attributes(value)


def constant_bytes(module: IRModule) -> int:
    """Bytes of all constants that a module's main function reads, each counted once."""
    seen: dict[int, int] = {}
    for binding in main_graph(joined(module)).bindings:
        value = binding.value
        for operand in getattr(value, "args", ()):
            for leaf in getattr(operand, "fields", [operand]):
                if is_constant(leaf):
                    seen[int(leaf.__chandle__())] = int(np.asarray(leaf.value.numpy()).nbytes)
    return sum(seen.values())


def operators_of(module: IRModule) -> list[SourceOperator]:
    """The operators of a module, for models that come without a list of their own."""
    found: dict[str, SourceOperator] = {}
    for binding in main_graph(module).bindings:
        name = operator_name(binding.value)
        if name is not None and not dialect.is_call(binding.value):
            where = origin(binding.value) or str(binding.var.name)
            found.setdefault(where, SourceOperator(where, name))
    return list(found.values())
