"""Softmax, layer norm and plain sums along the last axis, as tensor expressions whose sums vectorise.

A sum of n terms along contiguous memory is taken in `lanes` interleaved parts, which are then added; what n leaves over
beyond whole lanes is added last. Every step is marked, so that one schedule does them row by row.
"""

from __future__ import annotations

from collections.abc import Callable

from tvm import te, tirx
from tvm.ir import Expr

from qdsl.lower.kernels.conv import MARK

PARTS, TOTAL, KEPT, RESULT = "rows.parts", "rows.total", "rows.kept", "rows.result"
"""Marks: interleaved parts, sums of a row, values that are read twice, the result."""

Term = Callable[[tuple[Expr, ...], Expr], Expr]
"""From the index of a row and a position in it to the value there."""
Total = Callable[[tuple[Expr, ...]], Expr]


def at(tensor: te.Tensor, *index: Expr) -> Expr:
    """The element of a tensor at an index."""
    return tensor[index]


def row_total(term: Term, leading: list[int], length: int, lanes: int, kind: str, dtype: str) -> Total:
    """The sum (kind "sum") or greatest (kind "max") of `length` terms per row of `leading` rows."""
    combine, join = (te.sum, lambda a, b: a + b) if kind == "sum" else (te.max, tirx.max)
    whole = length // lanes
    totals: list[te.Tensor] = []
    if whole > 1:
        step = te.reduce_axis((0, whole), "step")
        parts = te.compute(
            (*leading, lanes),
            lambda *index: combine(term(index[:-1], step * lanes + index[-1]), axis=[step]),
            name="parts",
            attrs={MARK: PARTS},
        )
        lane = te.reduce_axis((0, lanes), "lane")
        totals.append(_total(leading, lambda index: combine(at(parts, *index, lane), axis=[lane])))
    start = whole * lanes if whole > 1 else 0
    if start < length:
        rest = te.reduce_axis((0, length - start), "rest")
        totals.append(_total(leading, lambda index: combine(term(index, start + rest), axis=[rest])))

    def value(index: tuple[Expr, ...]) -> Expr:
        result = totals[0][index]
        return result if len(totals) == 1 else join(result, totals[1][index])

    return value


def _total(leading: list[int], value: Total) -> te.Tensor:
    return te.compute(tuple(leading), lambda *index: value(index), name="total", attrs={MARK: TOTAL})


def softmax(data: te.Tensor, lanes: int) -> te.Tensor:
    """exp(x - max) / sum of the same, along the last axis."""
    *leading, length = (int(extent) for extent in data.shape)
    dtype = str(data.dtype)
    greatest = row_total(lambda row, k: at(data, *row, k), leading, length, lanes, "max", dtype)
    raised = te.compute(
        data.shape,
        lambda *index: tirx.exp(data[index] - greatest(index[:-1])),
        name="raised",
        attrs={MARK: KEPT},
    )
    total = row_total(lambda row, k: at(raised, *row, k), leading, length, lanes, "sum", dtype)
    inverse = _total(leading, lambda row: tirx.const(1.0, dtype) / total(row))
    return te.compute(
        data.shape, lambda *index: raised[index] * inverse[index[:-1]], name="softmax", attrs={MARK: RESULT}
    )


def layer_norm(data: te.Tensor, gamma: te.Tensor, beta: te.Tensor, lanes: int, epsilon: float) -> te.Tensor:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, along the last axis."""
    *leading, length = (int(extent) for extent in data.shape)
    dtype, share = str(data.dtype), 1.0 / length
    total = row_total(lambda row, k: at(data, *row, k), leading, length, lanes, "sum", dtype)
    mean = _total(leading, lambda row: total(row) * tirx.const(share, dtype))

    def square(row: tuple[Expr, ...], k: Expr) -> Expr:
        away = at(data, *row, k) - mean[row]
        return away * away

    squares = row_total(square, leading, length, lanes, "sum", dtype)
    factor = _total(
        leading,
        lambda row: (
            tirx.const(1.0, dtype) / tirx.sqrt(squares(row) * tirx.const(share, dtype) + tirx.const(epsilon, dtype))
        ),
    )

    def result(*index: Expr) -> Expr:
        row, k = index[:-1], index[-1]
        return (data[index] - mean[row]) * factor[row] * gamma[k] + beta[k]

    return te.compute(data.shape, result, name="layer_norm", attrs={MARK: RESULT})


def total(data: te.Tensor, lanes: int, kind: str, keepdims: bool) -> te.Tensor:
    """The "sum", "mean" or "max" along the last axis."""
    *leading, length = (int(extent) for extent in data.shape)
    dtype = str(data.dtype)
    share = tirx.const(1.0 / length, dtype) if kind == "mean" else None
    most = "max" if kind == "max" else "sum"
    found = row_total(lambda row, k: at(data, *row, k), leading, length, lanes, most, dtype)

    def result(*index: Expr) -> Expr:
        value = found(index[:-1] if keepdims else index)
        return value if share is None else value * share

    shape = (*leading, 1) if keepdims else tuple(leading)
    return te.compute(shape, result, name=kind, attrs={MARK: RESULT})
