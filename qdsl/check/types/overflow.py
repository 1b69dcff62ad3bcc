"""Q0308: accumulators that may overflow, as far as literals of the rule tell.

A sum of n products of codes up to p and q stays in int32 while n * p * q < 2^31. The number of products is known
only where a guard bounds it (`size(w, K) <= 140000`).
"""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.check.types import ranges
from qdsl.check.types.boundary import literal
from qdsl.check.types.findings import text_of
from qdsl.check.types.scope import Invocation, Operand, Scope
from qdsl.check.types.signatures import SIGNATURES
from qdsl.check.types.values import Quantity
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label
from qdsl.lang.source import Span
from qdsl.ops import axes_of, letters_of, operand_layout

WIDE = "int32"
LIMIT = 2**31 - 1
FEW = 64
"""Fewer products than this are no reduction worth a guard."""


def product_overflows(
    scope: Scope, call: Invocation, a: tuple[Operand, Quantity], b: tuple[Operand, Quantity], codes: ranges.Range
) -> None:
    """Warn of an elementwise product of int32 values that int32 cannot hold."""
    if ranges.fits(codes, WIDE):
        return
    wider = max((a, b), key=lambda pair: ranges.peak(pair[1].codes) or 0)
    scope.findings.add(
        "Q0308",
        f"the product may overflow int32: up to {ranges.peak(a[1].codes)} * {ranges.peak(b[1].codes)}",
        call.node.span,
        others=[scope.findings.shows(a[0].expr, a[1]), scope.findings.shows(b[0].expr, b[1])],
        help=f"read {text_of(wider[0].expr)} in 8 bits",
        severity="warning",
    )


def reduction_overflows(scope: Scope, call: Invocation, found: Sequence[tuple[Operand, Quantity]]) -> None:
    """Warn of a contraction whose number of terms, as far as a guard bounds it, is too large for int32."""
    (a, qa), (b, qb) = found
    products = ranges.multiply(_centered(qa), _centered(qb))
    peak = ranges.peak(products)
    if not peak:
        return
    terms, places = _terms(scope, call, (a, b))
    most = LIMIT // peak
    if terms <= most:
        return
    scope.findings.add(
        "Q0308",
        f"the accumulator may overflow int32: {terms if places else 'any'} products of up to {peak}",
        places[0].span if places else call.node.span,
        others=[Label(_head(call.node), f"int32 holds {most} of them")]
        if places
        else [scope.findings.shows(a.expr, qa), scope.findings.shows(b.expr, qb)],
        help=f"let the guard refuse more than {most}" if most >= FEW else "read the operands in fewer bits",
        severity="warning",
    )


def _centered(q: Quantity) -> ranges.Range:
    """The codes as they should be: a zero point left in is another finding."""
    return q.codes if q.centered else ranges.subtract(q.codes, q.codes)


def _head(node: tree.Expr) -> Span:
    return node.func_span if isinstance(node, tree.Call) else node.span


def _terms(scope: Scope, call: Invocation, operands: Sequence[Operand]) -> tuple[int, list[tree.Node]]:
    """How many products are summed for certain or at most, and the guard's terms that say so."""
    sizes: dict[str, tuple[int, tree.Node]] = {}
    for term in tree.conjuncts(scope.rule.when):
        for index, operand in enumerate(operands):
            names = {n.id for n in tree.walk(operand.expr) if isinstance(n, tree.Name)}
            for name, letter, bound in (*_size_term(term), *_shape_term(term, call, index)):
                if name in names and _is_summed(call, index, letter):
                    sizes[letter] = max(sizes.get(letter, (0, term)), (bound, term), key=lambda pair: pair[0])
    # C of the data and I of the weight are one axis (per group).
    if "C" in sizes and "I" in sizes:
        sizes.pop("C")
    product = 1
    for bound, _ in sizes.values():
        product *= bound
    return product, [term for _, term in sizes.values()]


def _size_term(term: tree.Expr) -> list[tuple[str, str, int]]:
    """(name, letter, size) of a term that compares `size(name, letter)` with a literal."""
    for read, value in _sides(term):
        number = literal(value)
        if not isinstance(read, tree.Call) or read.func != "size" or len(read.positional) != 2:
            continue
        name, letter = read.positional
        if isinstance(name, tree.Name) and isinstance(letter, tree.Name) and isinstance(number, int):
            return [(name.id, letter.id, number)]
    return []


def _shape_term(term: tree.Expr, call: Invocation, index: int) -> list[tuple[str, str, int]]:
    """(name, letter, size) for every axis of `shape(name) == [..]`, by the layout of a contraction's operand."""
    for read, value in _sides(term):
        sizes = literal(value)
        if not isinstance(read, tree.Call) or read.func != "shape" or len(read.positional) != 1:
            continue
        name = read.positional[0]
        if isinstance(name, tree.Name) and isinstance(sizes, tuple):
            axes = axes_of(operand_layout(call.name, index, {}, len(sizes)) or "")
            known = zip(axes, sizes, strict=False)
            return [(name.id, letter, size) for letter, size in known if isinstance(size, int)]
    return []


def _sides(term: tree.Expr) -> list[tuple[tree.Expr, tree.Expr]]:
    """What a comparison compares, both ways round."""
    if not isinstance(term, tree.Compare) or term.op == "!=":
        return []
    return [(term.left, term.right), (term.right, term.left)]


def _is_summed(call: Invocation, index: int, letter: str) -> bool:
    if call.name != "matmul" and index == 0 and letter != "C":
        return False
    layout = operand_layout(call.name, index, {}, None)
    return letter in letters_of(layout) and letter not in SIGNATURES[call.name].axes[index]
