"""Whether what a rule adds up stays inside its accumulator, whatever the samples are.

A sum of n products of centred codes is at most n * p * q, with p and q the largest magnitudes of the two formats. For a
constant the codes are nearly known: a channel's codes add up to at most

    q * sum |w| / max |w| + n / 2

since a scale is never less than max |w| / q and each code is rounded by at most half. Three quarters of the accumulator
are for sums; the last is for the constants that are added on it (see `solve`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from qdsl.formats.format import Format
from qdsl.match.found import Match
from qdsl.match.graph import Graph, array_of, is_constant, operator_name, shape_of
from qdsl.passes.naming import identity
from qdsl.passes.plan import Read

ACCUMULATOR_BITS = 32
SUMS_SHARE = 0.75
"""Of an accumulator's range, for the sums themselves."""
UNKNOWN = 255
"""The magnitude of an operand that the rule makes itself (the numerators of a softmax): 8 bits."""
PLAIN = ("mean", "sum")
PRODUCTS = ("matmul", "multiply")


@dataclass(frozen=True)
class Sum:
    """What one operator of a match adds up."""

    op: str
    terms: int
    most: float
    """The largest magnitude it can reach."""


def overflow(
    graph: Graph, match: Match, reads: Mapping[str, Sequence[Read]], bits: int = ACCUMULATOR_BITS
) -> str | None:
    """Why a sum that the match makes in integers may leave an accumulator of so many bits; None where it cannot."""
    room = SUMS_SHARE * 2.0 ** (bits - 1) - 1
    for found in _sums(graph, match, reads):
        if found.most > room:
            return (
                f"{found.op} adds up {found.terms} terms that may reach {found.most:.3g}, and an accumulator of "
                f"{bits} bits has room for {room:.3g}"
            )
    return None


def _sums(graph: Graph, match: Match, reads: Mapping[str, Sequence[Read]]) -> Iterator[Sum]:
    formats = {identity(r.value): r.format for rs in reads.values() for r in rs if r.format is not None}
    for var in (match.root, *match.interior):
        call = graph.value_of[var]
        op = operator_name(call)
        if op is None or not (op in PLAIN or op in PRODUCTS or op.startswith("nn.conv")):
            continue
        known = [formats.get(identity(a)) for a in call.args[:2]]
        read = [f for f in known if f is not None]
        if not read or any(f.scheme.is_accumulator for f in read) or (op == "multiply" and len(read) < 2):
            continue
        terms = _terms(op, call)
        if op in PLAIN:
            yield Sum(op, terms, terms * magnitude(read[0]))
            continue
        sides = [terms * float(magnitude(f)) if f is not None else terms * float(UNKNOWN) for f in known]
        for place, (operand, format) in enumerate(zip(call.args[:2], known, strict=True)):
            if format is not None and is_constant(operand):
                sides[place] = min(sides[place], _codes_added_up(operand, format, terms))
        yield Sum(op, terms, sides[0] * sides[1] / terms)


def magnitude(format: Format) -> int:
    """The largest |code - zero| of a format, its zero point being anywhere where it is not known."""
    scheme = format.scheme
    if isinstance(format.zero, str):
        return scheme.high - scheme.low
    return max(scheme.high - format.zero, format.zero - scheme.low)


def _terms(op: str, call: relax.Call) -> int:
    """How many products one element of the result adds up."""
    if op == "multiply":
        return 1
    shape, result = shape_of(call.args[0]) or (), shape_of(call) or ()
    if op == "matmul":
        return shape[-1]
    if op in PLAIN:
        return max(int(np.prod(shape)) // max(int(np.prod(result)), 1), 1)
    weight = shape_of(call.args[1]) or ()
    letters = str(call.attrs.kernel_layout)
    outputs = weight[letters.index("O")]
    inputs = int(call.attrs.groups) if op.endswith("transpose") else 1
    return max(int(np.prod(weight)) // (outputs * inputs), 1)


def _codes_added_up(constant: relax.Expr, format: Format, terms: int) -> float:
    """The most that the magnitudes of a constant's codes add up to, in any one channel."""
    values = np.abs(np.asarray(array_of(constant), np.float64))
    flat = values.reshape(1, -1) if format.axis is None else np.moveaxis(values, format.axis, 0).reshape(
        values.shape[format.axis], -1
    )  # fmt: skip
    largest = flat.max(axis=1, initial=0.0)
    if format.axis is None or flat.shape[1] != terms:
        # The terms of one sum are not one row: at most the `terms` largest of them.
        flat = np.sort(flat, axis=1)[:, -terms:]
    sums = flat.sum(axis=1) / np.where(largest > 0, largest, 1.0)
    return float(sums.max(initial=0.0) * magnitude(format) + terms / 2)
