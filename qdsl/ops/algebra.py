"""What is true of operators as mathematics: which commute, what the signs stand for, how many results a call has."""

from __future__ import annotations

from collections.abc import Mapping

from qdsl.ops.operator import Operator

COMMUTATIVE = frozenset({
    "add", "multiply", "maximum", "minimum", "equal", "not_equal", "log_add_exp",
    "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
})  # fmt: skip
"""Operators whose two operands may change places: `op{a, b}` in a match."""

SUGAR = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
"""What a sign between two tensors stands for."""

COMPARISONS = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal",
}  # fmt: skip
"""What a comparison of two tensors stands for in `realize` and `rewrite`."""

NEGATION = "negative"


def result_count(operator: Operator, attributes: Mapping[str, object]) -> int | None:
    """How many tensors a call with these attributes returns; None where that cannot be told.

    split(x, indices_or_sections=n) returns n, a list of k indices makes k + 1 parts; topk returns one of its two
    results where `ret_type` asks for one.
    """
    if operator.name == "split":
        sections = attributes.get("indices_or_sections")
        if isinstance(sections, int):
            return sections
        return len(sections) + 1 if isinstance(sections, tuple | list) else None
    if operator.name == "topk" and attributes.get("ret_type", "both") != "both":
        return 1
    return operator.results
