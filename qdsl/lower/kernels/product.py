"""A matrix product with packed weights, and the 1x1 convolution, which is one: every leading axis is a row.

rows[m, k]      = data, flattened                          (a copy with zeros below, only where rows are added)
acc[m, o]       = sum over k of rows * packed              (m padded to whole tiles, o to whole blocks)
out[..., o]     = acc[flat index, o]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm import te, tirx

from qdsl.lower.kernels.conv import LANES, MARK, NOTHING
from qdsl.lower.kernels.extras import Extras
from qdsl.lower.kernels.rows import at
from qdsl.lower.kernels.tile import vectorizable


def product(
    data: te.Tensor,
    packed: te.Tensor,
    channels: int,
    *,
    kind: str,
    accumulator: str,
    rows: int,
    extras: Extras = NOTHING,
) -> te.Tensor:
    """data (..., K), packed (blocks, 1, 1, ceil(K / depth), lanes, depth) -> (..., channels) of dtype `accumulator`.

    rows    how many rows are accumulated; at least the product of the leading dims of data
    """
    *leading, inputs = (int(extent) for extent in data.shape)
    blocks, _, _, groups, lanes, depth = (int(extent) for extent in packed.shape)
    real = math.prod(leading)
    rc, rd = te.reduce_axis((0, groups), "rc"), te.reduce_axis((0, depth), "rd")

    def read(m: tirx.PrimExpr, k: tirx.PrimExpr) -> tirx.PrimExpr:
        return at(data, *unflattened(m, leading), k)

    whole = vectorizable(inputs, 64)
    if rows > real or groups * depth > inputs:
        filled = te.compute(
            (rows, groups * depth),
            lambda m, k: tirx.if_then_else(
                tirx.all(
                    *([m < real] * (rows > real)),
                    *([tirx.floordiv(k, whole) < inputs // whole] * (groups * depth > inputs)),
                ),
                read(m, k),
                tirx.const(0, str(data.dtype)),
            ),
            name="filled",
            attrs={MARK: f"fill.{kind}", LANES: str(whole)},
        )
        read = filled.__call__

    def term(m: tirx.Var, o: tirx.Var) -> tirx.PrimExpr:
        value = read(m, rc * depth + rd if depth > 1 else rc)
        weight = packed[o // lanes, 0, 0, rc, o % lanes, rd if depth > 1 else 0]
        return te.sum(value.astype(accumulator) * weight.astype(accumulator), axis=[rc, rd] if depth > 1 else [rc])

    acc = te.compute((rows, blocks * lanes), term, name="acc", attrs={MARK: f"accumulate.{kind}"})
    return te.compute(
        (*leading, channels),
        lambda *index: extras.plus_bias(acc[flattened(index[:-1], leading), index[-1]], index[-1]),
        name="out",
        attrs={MARK: f"out.{kind}"},
    )


def flattened(index: Sequence[tirx.PrimExpr], shape: Sequence[int]) -> tirx.PrimExpr:
    """The row-major position of `index` in `shape`."""
    position: tirx.PrimExpr = tirx.const(0, "int64")
    for i, extent in zip(index, shape, strict=True):
        position = position * extent + i
    return position


def unflattened(position: tirx.PrimExpr, shape: Sequence[int]) -> tuple[tirx.PrimExpr, ...]:
    """The index in `shape` of a row-major position."""
    index: list[tirx.PrimExpr] = []
    below = math.prod(shape)
    for axis, extent in enumerate(shape):
        below //= extent
        part = tirx.floordiv(position, below) if below > 1 else position
        index.append(tirx.floormod(part, extent) if axis else part)
    return tuple(index)
