"""The test of a new rule: inputs, an operator that makes integers where the rule needs them, one that wants them."""

from __future__ import annotations

import re
from typing import Any

from qdsl.lang import tree
from qdsl.lang.parse import parse_text
from qdsl.ops import Operator
from qdsl.ruledoc.new.examples import EXAMPLES, Example, inputs_of
from qdsl.ruledoc.new.sketch import Sketch, call_text, operand_names

BEFORE, BEHIND = "u", "r"
"""Names of the weights of the matmuls before and behind the operator."""


def trial(rule: str, operator: Operator, sketch: Sketch) -> str | None:
    """A `test` item, unformatted; None where no call of the operator could be made up.

    Shapes behind the operator are asked of TVM, by building the graph up to there.
    """
    inputs = dict(inputs_of(operator))
    first = next(iter(inputs))
    given = [f"{name}: {type_}" for name, type_ in inputs.items()]
    values = []
    if sketch.reads_integers:
        last = re.findall(r"\d+", inputs[first].split("[")[1])[-1]
        given.append(f"{BEFORE}: const float32[{last}, {last}]")
        begun = EXAMPLES.get(operator.name, Example()).begun
        values.append(f"i = {begun.replace('x', f'matmul({first}, {BEFORE})')}")
    call = _call(operator, first, "i" if sketch.reads_integers else first)
    name = "v" if sketch.is_wanted else "y"
    targets = f"{name}, other" if sketch.target == "parts..." else sketch.target.replace("y", name)
    values.append(f"{targets} = {call}")
    shape = _shape([*given, *values])
    if shape is None:
        return None
    if sketch.is_wanted:
        if not shape:
            return None
        given.append(f"{BEHIND}: const float32[{shape[-1]}, 4]")
        values.append(f"y = matmul({name if len(shape) > 1 else f'expand_dims({name}, axis=[0])'}, {BEHIND})")
    expected = "fires error <= 1 step" if sketch.is_exact else "fires"
    return f'test {rule} "{_title(sketch)}" given {" ".join([*given, *values])} expect {expected}'


def _title(sketch: Sketch) -> str:
    if sketch.reads_integers and sketch.is_wanted:
        return "where integers come and are wanted"
    if sketch.reads_integers or sketch.is_wanted:
        return "where integers come" if sketch.reads_integers else "where integers are wanted"
    return "begins integers" if any("as act" in mark for mark in sketch.marks) else "stays in float"


def _call(operator: Operator, first: str, begun: str) -> str:
    """The example's call, with another value for its first operand."""
    example = EXAMPLES.get(operator.name, Example())
    parts = ", ".join(f"x{number}" for number in range(example.lists))
    text = re.sub(r"\[\w+\.\.\.\]", f"[{parts}]", call_text(operator, operand_names(operator)))
    name, operands = text[:-1].split("(", 1)
    for old, new in {first: begun, **example.instead}.items():
        operands = re.sub(rf"\b{old}\b", new, operands, count=1)
    return f"{name}({', '.join([operands, example.arguments] if example.arguments else [operands])})"


def _shape(lines: list[str]) -> tuple[int, ...] | None:
    """The shape of the first value of `given` that nothing reads; None where it cannot be built or has none."""
    from qdsl.ruletest.given import build_given

    file, _ = parse_text(f'test rule_to_be "shape" given {" ".join(lines)} expect fires', "<new>")
    items = file.items if file is not None else ()
    if not items or not isinstance(items[0], tree.Test):
        return None
    try:
        result: Any = build_given(items[0], {})["main"].ret_ty
    except Exception:  # whatever TVM says of a call that it does not take
        return None
    fields = getattr(result, "fields", None)
    shape = getattr(fields[0] if fields else result, "shape", None)
    sizes = [getattr(size, "value", None) for size in shape.values] if shape is not None else [None]
    return None if None in sizes else tuple(int(size) for size in sizes if size is not None)
