"""Which kind of rule an operator gets: the ways in which operators take integers, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qdsl.check.types.signatures import INTEGER_OPERANDS, INTEGER_RESULTS, SIGNATURES
from qdsl.ops import Operator
from qdsl.ruledoc.new.by_name import BY_NAME
from qdsl.ruledoc.new.sketch import Sketch, call_text, operand_names

BOTH_COMPUTED = "not constant(a) and not constant(b) and (quantized(a) or quantized(b)) and wanted(y)"
BEGINNING = "not constant(a) and not constant(b) and wanted(y)"
NO_MOVES = frozenset(
    ["layout_transform", "image.grid_sample", "vision.roi_pool", "dynamic_strided_slice", "meshgrid", "median"]
)
"""Operators that the checker types like moves and that fill places with zeros, or make more than moved values."""
INEXACT = frozenset({"power", "log_add_exp"})
"""Operators whose results on random inputs are not finite."""
ROUNDINGS = frozenset({"round", "floor", "ceil", "trunc"})
"""On codes these are the identity; they are curves of the values."""
GUARDS = {"nn.dropout": "y.rate == 0"}
"""What has to be excluded even where everything stays in float."""


def sketch(operator: Operator) -> Sketch:
    """The rule that fits an operator; one that reads and makes floats where integers would need more thought."""
    if operator.name in BY_NAME:
        return BY_NAME[operator.name](operator)
    signature = SIGNATURES.get(operator.name)
    kind = signature.kind if signature and not operator.name.startswith("collapse") else ""
    if _is_curve(operator, kind):
        return curve(operator)
    if kind == "select" and operator.name not in NO_MOVES:
        return among(operator) if len(operator_data(operator)) > 1 or _takes_list(operator) else move(operator)
    return KINDS.get(kind, in_float)(operator)


def operator_data(operator: Operator) -> tuple[str, ...]:
    """The names of the operands that can carry marks."""
    integers = INTEGER_OPERANDS.get(operator.name, ())
    return tuple(name for i, name in enumerate(operand_names(operator)) if i not in integers)


def _takes_list(operator: Operator) -> bool:
    return operator.tensor_operands[0].kind == "tensors"


def _is_curve(operator: Operator, kind: str) -> bool:
    """A function of each element by itself, without attributes."""
    alone = len(operator.operands) == 1 and not operator.attributes and operator.results == 1
    return alone and (kind in ("real", "negate") or operator.name in ROUNDINGS or operator.name == "sign")


def contraction(operator: Operator) -> Sketch:
    """conv and matmul: 8 bits in, int32 out on the product of the scales, zero points removed."""
    is_matmul = operator.name == "matmul"
    letter, result = ("N", "N") if is_matmul else ("O", "C")
    inherited = "" if is_matmul else "**y, "
    return Sketch(
        f"{operator.name}(x, w)",
        ("x as act", f"w as weight[{letter}]", f"y as acc[{result}] = x.scale * w.scale"),
        (f"y = {operator.name}(centered(x), w, {inherited}out_dtype=int32)",),
        "constant(w) and rank(w) == 2" if is_matmul else "constant(w)",
    )


def move(operator: Operator) -> Sketch:
    """Each code of the result is a code of the operand: 8 bits in, the same format out."""
    names = operand_names(operator)
    target = _results(operator)
    return Sketch(
        call_text(operator, names),
        (f"{names[0]} as act", f"y like {names[0]}"),
        (f"{target} = {call_text(operator, names, 'y')}",),
        "wanted(y)",
        target,
        is_wanted=True,
    )


def among(operator: Operator) -> Sketch:
    """Each code of the result is a code of one of several operands: all of them on one scale."""
    names, data = operand_names(operator), operator_data(operator)
    spread = _takes_list(operator)
    shared = [f"{name}..." if spread else name for name in data]
    computed = "" if spread else "".join(f"not constant({name}) and " for name in data)
    return Sketch(
        call_text(operator, names),
        (f"share {', '.join([*shared, 'y'])} as act",),
        (f"y = {call_text(operator, names, 'y')}",),
        f"{computed}wanted(y)",
        is_wanted=True,
    )


def curve(operator: Operator) -> Sketch:
    """A function of each value: a table on 8 bits, computed on an accumulator, left wide."""
    return Sketch(
        f"{operator.name}(x)",
        ("x as any", "y as wide"),
        (f"y = lookup({operator.name}, x)",),
        "wanted(y)",
        reads_integers=True,
        is_wanted=True,
    )


def total(operator: Operator) -> Sketch:
    """Sums and differences of two computed values: both rescaled onto the result's scale."""
    sign = "+" if operator.name == "add" else "-"
    return Sketch(
        f"{operator.name}(a, b)",
        ("a, b as act", "y as wide"),
        (f"y = rescale(a, y.scale) {sign} rescale(b, y.scale)",),
        BOTH_COMPUTED,
        reads_integers=True,
        is_wanted=True,
    )


def product(operator: Operator) -> Sketch:
    """Products of two computed values: on the product of their scales. A product of all pairs begins integers."""
    begins = operator.name == "outer"
    return Sketch(
        f"{operator.name}(a, b)",
        ("a, b as act", "y as wide = a.scale * b.scale"),
        (f"y = {operator.name}(astype(centered(a), int32), astype(centered(b), int32))",),
        BEGINNING if begins else BOTH_COMPUTED,
        reads_integers=not begins,
        is_wanted=True,
    )


def reduction(operator: Operator) -> Sketch:
    """Sums along axes, in int32; a mean is one whose division is a change of scale."""
    is_mean = operator.name == "mean"
    call = "sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)"
    return Sketch(
        f"{operator.name}(x)",
        ("x as act", "y as wide = x.scale" + (" / count(x, y)" if is_mean else "")),
        (f"y = {call if is_mean else f'{operator.name}(astype(centered(x), int32), **y)'}",),
        "quantized(x) and wanted(y)",
        reads_integers=True,
        is_wanted=True,
    )


def average(operator: Operator) -> Sketch:
    """Average pools: a wide sum, divided by the true count of each window."""
    return Sketch(
        f"{operator.name}(x)",
        ("x as act", "y as wide"),
        ("y = average(x, **y)",),
        "quantized(x) and wanted(y)",
        reads_integers=True,
        is_wanted=True,
    )


def in_float(operator: Operator) -> Sketch:
    """Said to stay in float: a start for what needs a realize clause of its own."""
    names, data = operand_names(operator), operator_data(operator)
    lists = {name for name, o in zip(names, operator.tensor_operands, strict=False) if o.kind == "tensors"}
    floats = [f"{name}..." if name in lists else name for name in data]
    target = _results(operator)
    made = target.split(",")[0]
    marked = floats if operator.name in INTEGER_RESULTS else [*floats, made]
    realize = f"{target} = {call_text(operator, names, made.removesuffix('...'))}"
    return Sketch(
        call_text(operator, names),
        (f"{', '.join(marked)} as float",),
        (realize,),
        GUARDS.get(operator.name, ""),
        target,
        is_exact=operator.name not in INEXACT,
    )


def _results(operator: Operator) -> str:
    """The targets of a destructuring."""
    if operator.results is None:
        return "parts..."
    return ", ".join(["y"] + ["_"] * (operator.results - 1))


KINDS: Mapping[str, Callable[[Operator], Sketch]] = {
    "contract": contraction,
    "sum": total,
    "product": product,
    "reduce": reduction,
    "average": average,
}
