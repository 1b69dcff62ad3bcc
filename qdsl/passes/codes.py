"""Formats read back from calibrated calls, and constants brought into them."""

from __future__ import annotations

import numpy as np
from tvm import relax

from qdsl import dialect
from qdsl.errors import RuleError
from qdsl.match.graph import array_of, operator_name
from qdsl.numerics.quantize import storage
from qdsl.realize.host import along_axis
from qdsl.realize.values import Numbers


def numbers_of(call: relax.Call) -> Numbers:
    """The format of a calibrated `simulated_quantize` or `annotated` call."""
    attrs = dialect.attributes(call)
    scale = dialect.scale_of(call)
    if scale is None:
        raise RuleError(f"{operator_name(call)} has no numbers yet: calibrate the module before realizing it")
    axis = attrs.get("axis")
    array = np.asarray(array_of(scale), np.float64)
    return Numbers(
        array, int(attrs["zero"]), int(axis) if axis is not None and array.ndim else None,
        str(attrs["dtype"]), int(attrs["low"]), int(attrs["high"]), str(attrs["scheme"]),
    )  # fmt: skip


def narrow_constant(constant: relax.Expr, target: Numbers) -> relax.Expr:
    """A constant in a format: clip(round(c / scale) + zero, low, high), computed here in float64."""
    array = np.asarray(array_of(constant), np.float64)
    scale = along_axis(target.scale, target.axis, array.ndim)
    codes = np.clip(np.round(array / scale) + target.zero, target.low, target.high)
    return relax.const(codes.astype(storage(target.dtype)))
