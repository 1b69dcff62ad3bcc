"""Which real number a match computes, as a monomial of its captures, where it is one.

    conv(x, w) = x * w        multiply{x, c} = x * c        mean(x) = x / count(x, y)        relu(x), reshape(x) = x

as far as units go: a factor may be taken out of the operator. The realize clause computes a monomial of its own, of the
integers' scales; where the two differ, the rest must be in the mark's scale:

    y like x = x.scale * c      y = x          (the match multiplies by c, the clause does not)
    y as wide = x.scale / count(x, y)          (the match divides by the count, the clause sums)

Sums of different captures, functions and unknown operators have no unit, and then nothing is asked of the mark.
"""

from __future__ import annotations

from collections.abc import Mapping

from qdsl.check.types.boundary import Boundary, as_call
from qdsl.check.types.signatures import SIGNATURES
from qdsl.formats.scale import Scale
from qdsl.lang import tree

HOMOGENEOUS = frozenset({"nn.relu", "nn.leakyrelu", "nn.prelu", "nn.pad", "astype"})
"""Operators with f(c * x) = c * f(x) for c > 0, besides those that select."""

NOT_LINEAR = frozenset({"round", "floor", "ceil", "trunc"})
"""Operators that select codes of integers and yet are no moves of real numbers."""


def unit_of_result(boundary: Boundary, name: str, choice: Mapping[str, str]) -> Scale | None:
    """The unit of a result of the match; `choice` says what the name after `for` stands for."""
    binding = boundary.made.get(name)
    return None if binding is None else _binding(binding, boundary, choice, frozenset({name}))


def _binding(
    binding: tree.Binding, boundary: Boundary, choice: Mapping[str, str], seen: frozenset[str]
) -> Scale | None:
    named = [t.id for t in binding.targets if not isinstance(t, tree.IgnoredTarget)]
    return _unit(binding.value, boundary, choice, seen, named[0] if len(named) == 1 else None)


def _unit(
    expr: tree.Node, boundary: Boundary, choice: Mapping[str, str], seen: frozenset[str], result: str | None
) -> Scale | None:
    if isinstance(expr, tree.Number):
        return Scale.number(expr.value) if expr.value else None
    if isinstance(expr, tree.Name):
        if expr.id not in boundary.made:
            return Scale.of(expr.id)
        return None if expr.id in seen else _binding(boundary.made[expr.id], boundary, choice, seen | {expr.id})
    call = as_call(expr)
    if call is None or not call.positional:
        return None
    name = choice.get(call.func, call.func)
    signature = SIGNATURES.get(name)
    if name in HOMOGENEOUS:
        return _unit(call.positional[0], boundary, choice, seen, None)
    if name in NOT_LINEAR or signature is None:
        return None
    operands = [call.positional[i] for i in signature.data if i < len(call.positional)]
    units = [_unit(o, boundary, choice, seen, None) for o in operands]
    if name == "mean":
        return _mean(units[0], call.positional[0], result)
    if name == "sum":
        return units[0]
    if name == "negative":
        return None if units[0] is None else units[0] * Scale.number(-1)
    if name == "clip" or (signature.kind == "select" and signature.data == (0,)):
        return units[0]
    if None in units or len(units) != 2:
        return None
    left, right = units
    assert left is not None
    assert right is not None
    if signature.kind in ("contract", "product"):
        return left * right
    return left / right if name == "divide" else None


def _mean(unit: Scale | None, operand: tree.Node, result: str | None) -> Scale | None:
    if unit is None or result is None or not isinstance(operand, tree.Name):
        return None
    return unit / Scale.of(f"count({operand.id}, {result})")
