"""What a guard says of the values of a match, so that graphs are built that it lets pass.

Only hints: whether a guard holds is asked of the guard itself, with the graph before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from qdsl.lang import tree
from qdsl.verify.forms import Hint


@dataclass(frozen=True)
class Hints:
    """By name of the match."""

    values: Mapping[str, Hint] = field(default_factory=dict)
    attributes: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    """(result, attribute) to the value that the guard asks for."""
    positive: frozenset[str] = frozenset()
    """Constants that are compared as above something."""
    quantized: frozenset[str] = frozenset()

    def of(self, name: str) -> Hint:
        return self.values.get(name, Hint())


def read_hints(when: tree.Expr | None) -> Hints:
    """The hints of a guard's terms; of an `or`, those of its first side."""
    values: dict[str, dict[str, Any]] = {}
    attributes: dict[tuple[str, str], Any] = {}
    positive: set[str] = set()
    quantized: set[str] = set()
    for term, holds in _facts(when):
        if isinstance(term, tree.Call):
            for name in _names(term):
                said = values.setdefault(name, {})
                if term.func == "constant":
                    said["constant"] = holds
                elif term.func == "scalar" and holds:
                    said["scalar"] = True
                elif term.func == "quantized" and holds:
                    quantized.add(name)
            if term.func == "spans" and holds and term.args and isinstance(term.args[0], tree.Name):
                values.setdefault(term.args[0].id, {})["vector"] = True
        elif isinstance(term, tree.Field) and isinstance(term.base, tree.Name):
            attributes[(term.base.id, term.name)] = holds
        elif isinstance(term, tree.Compare):
            _compare(term, holds, values, attributes, positive)
    return Hints({n: Hint(**said) for n, said in values.items()}, attributes, frozenset(positive), frozenset(quantized))


def _facts(when: tree.Expr | None) -> Iterator[tuple[tree.Expr, bool]]:
    for term in tree.conjuncts(when):
        expr, holds = term, True
        while isinstance(expr, tree.Unary) and expr.op == "not":
            expr, holds = expr.operand, not holds
        if isinstance(expr, tree.Logic) and expr.op == "or" and holds:
            yield from _facts(expr.operands[0])
        elif not isinstance(expr, tree.Logic):
            yield expr, holds


def _names(call: tree.Call) -> list[str]:
    return [a.id for a in call.positional if isinstance(a, tree.Name | tree.Spread)]


def _compare(
    term: tree.Compare,
    holds: bool,
    values: dict[str, dict[str, Any]],
    attributes: dict[tuple[str, str], Any],
    positive: set[str],
) -> None:
    left, right = term.left, _literal(term.right)
    if isinstance(left, tree.Name) and term.op in (">", ">=") and holds and right is not None:
        positive.add(left.id)
    if right is None or (term.op == "==") is not holds or term.op not in ("==", "!="):
        return
    if isinstance(left, tree.Field) and isinstance(left.base, tree.Name):
        attributes[(left.base.id, left.name)] = right
    elif isinstance(left, tree.Call) and left.func == "rank":
        for name in _names(left):
            values.setdefault(name, {})["rank"] = right


def _literal(expr: tree.Expr) -> Any:
    """The value of a literal, or None."""
    if isinstance(expr, tree.Number | tree.String):
        return expr.value
    if isinstance(expr, tree.Unary) and expr.op == "-":
        inner = _literal(expr.operand)
        return None if inner is None else -inner
    if isinstance(expr, tree.List):
        items = [None if isinstance(e, tree.Spread) else _literal(e) for e in expr.elements]
        return None if any(i is None for i in items) else items
    return None
