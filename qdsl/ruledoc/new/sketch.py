"""A rule as its lines, before it is text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdsl.ops import Operator


@dataclass(frozen=True)
class Sketch:
    """What a rule for one operator says."""

    pattern: str
    """What is matched: `matmul(x, w)`."""
    marks: tuple[str, ...]
    realize: tuple[str, ...]
    guard: str = ""
    target: str = "y"
    """The results in the match: `y`, `y, _, _` or `parts...`."""
    reads_integers: bool = False
    """It fires only where integers arrive, so that a test begins with a convolution."""
    is_wanted: bool = False
    """It fires only where a reader wants integers, so that a test ends with a matmul."""
    is_exact: bool = True
    """A test holds its error to one step."""


LETTERS = {"x1": "a", "x2": "b", "x3": "c"}
SHORTER = {"weight": "w", "moving_mean": "mean", "moving_var": "var"}
PLAIN = {"data", "x1", "input", "input_tensor"}
"""Names that say no more than x does, where they are the first operand's."""


def operand_names(operator: Operator) -> tuple[str, ...]:
    """Names for the tensors that every call of an operator has: x; a and b; x and w; parts; or the operator's own."""
    if operator.name == "matmul":
        return ("x", "w")
    required = operator.tensor_operands[: operator.required_tensors]
    # Where the results are a list, that is what is called parts.
    listed = "inputs" if operator.results is None else "parts"
    own = [listed if operand.kind == "tensors" else operand.name for operand in required]
    if "x2" in own:
        return tuple(LETTERS.get(name, name) for name in own)
    return tuple(SHORTER.get(name, "x" if not number and name in PLAIN else name) for number, name in enumerate(own))


def call_text(operator: Operator, names: Sequence[str], inherits: str = "") -> str:
    """A call of the operator on its tensors, `concat([parts...])`; with the attributes of a matched call, `**y`, where
    the operator has any."""
    required = operator.tensor_operands[: operator.required_tensors]
    shown = [f"[{n}...]" if o.kind == "tensors" else n for o, n in zip(required, names, strict=True)]
    if inherits and operator.fields:
        shown.append(f"**{inherits}")
    return f"{operator.name}({', '.join(shown)})"
