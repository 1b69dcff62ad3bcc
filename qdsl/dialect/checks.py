"""What every operator of the dialect asks of its arguments, and the constants it makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tvm import relax, tirx
from tvm.ir import Call, GenericConst

from qdsl import numerics
from qdsl.formats.format import STORAGE_BITS
from qdsl.numerics.rounding import MAX_ZERO, float32_scale

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")


def storage(dtype: str) -> str:
    """The tensor dtype that holds codes of `dtype`; ValueError for a dtype that is no integer format."""
    if dtype not in STORAGE_BITS:
        raise ValueError(f"{dtype} is not an integer format; it must be one of {', '.join(STORAGE_BITS)}")
    return numerics.storage(dtype)


def check_codes(dtype: str, low: int, high: int) -> tuple[int, int]:
    """`low` and `high` as ints; ValueError when they are no range of codes of `dtype`."""
    storage(dtype)
    unsigned, bits = dtype.startswith("u"), STORAGE_BITS[dtype]
    least, greatest = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not least <= low < high <= greatest:
        raise ValueError(f"codes {low} to {high} are not a range of {dtype}, which holds {least} to {greatest}")
    return int(low), int(high)


def check_zero(zero: int) -> int:
    """`zero` as an int; ValueError beyond the +-2^30 that keep the 64-bit products exact."""
    if isinstance(zero, bool) or int(zero) != zero or abs(int(zero)) > MAX_ZERO:
        raise ValueError(f"a zero point is a whole number within +-{MAX_ZERO}, not {zero!r}")
    return int(zero)


def check_axis(scale: NDArray[np.generic], axis: int | None, what: str) -> int | None:
    """The axis for a scale of shape () or (C,): a vector needs one, a scalar has none."""
    if scale.ndim == 1 and axis is None:
        raise ValueError(f"a {what} per channel (shape {scale.shape}) needs the axis it lies along")
    if scale.ndim > 1:
        raise ValueError(f"a {what} has shape () or (channels,), not {scale.shape}")
    return None if scale.ndim == 0 or axis is None else int(axis)


def scale_constant(scale: ArrayLike, what: str) -> GenericConst:
    """A float32 constant; ValueError unless every element is positive and finite."""
    return relax.const(float32_scale(scale, what))


def constant_array(expr: relax.Expr) -> NDArray[np.generic] | None:
    """The array of a constant, or None for anything else."""
    return expr.value.numpy() if isinstance(expr, GenericConst) else None


def tensor_type(call: Call, index: int, dtypes: Sequence[str] | None = None) -> relax.TensorType:
    """The type of an operand; TypeError unless it is a tensor of one of `dtypes`."""
    name, ty = call.op.name, call.args[index].ty
    if not isinstance(ty, relax.TensorType):
        raise TypeError(f"{name} reads a tensor as operand {index + 1}, and was given {ty}")
    if dtypes is not None and ty.dtype is not None and str(ty.dtype.dtype) not in dtypes:
        raise TypeError(f"{name} reads {' or '.join(dtypes)} as operand {index + 1}, and was given {ty.dtype}")
    return ty


def known_shape(expr: relax.Expr) -> bool:
    """Whether the dims (numbers or symbols) of a tensor are known, so that a kernel can be written for it."""
    return isinstance(expr.ty, relax.TensorType) and isinstance(expr.ty.shape, relax.ShapeExpr)


def check_channels(call: Call, ty: relax.TensorType, operand: int, axis: int | None) -> None:
    """TypeError when a per-channel operand does not fit the tensor's dim along `axis`."""
    if axis is None or ty.ndim < 0:
        return
    if not -ty.ndim <= axis < ty.ndim:
        raise TypeError(f"{call.op.name} has axis {axis}, and its operand has only {ty.ndim} dims: {ty}")
    if not isinstance(ty.shape, relax.ShapeExpr):
        return
    dim, channels = ty.shape.values[axis], tensor_type(call, operand).shape
    if not isinstance(dim, tirx.IntImm) or not isinstance(channels, relax.ShapeExpr):
        return
    if int(channels.values[0]) not in (1, int(dim)):
        raise TypeError(
            f"{call.op.name} has {int(channels.values[0])} scales along axis {axis} of {ty}, which has {int(dim)}"
        )
