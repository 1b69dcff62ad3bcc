"""The shape that converters have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tvm import relax

from qdsl.load.operands import shape_of

Attributes = Mapping[str, Any]
Converter = Callable[[relax.BlockBuilder, Any, Attributes, int], Any]


def known_shape(expr: relax.Expr) -> tuple[int, ...]:
    """The static shape of a tensor.

    Raises:
        ValueError: where a dimension is not known.
    """
    shape = shape_of(expr)
    if shape is None:
        raise ValueError("the shape of its input is not known before the model runs.")
    return shape
