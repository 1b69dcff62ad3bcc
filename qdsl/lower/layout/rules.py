"""Which operators have a channels-last form, and the rule that makes it.

A rule takes the old variable, its value and the values so far; it binds the new form and says whether it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tvm import relax

from qdsl.lower.layout import axes, pointwise, windowed
from qdsl.lower.layout.values import Values

Rule = Callable[[relax.Var, relax.Call, Values], bool]

RULES: Mapping[str, Rule] = {
    **dict.fromkeys(pointwise.NAMES, pointwise.pointwise),
    **dict.fromkeys(windowed.CONVOLUTIONS, windowed.convolution),
    **dict.fromkeys(windowed.POOLS, windowed.pool),
    "image.resize2d": windowed.resize,
    "nn.batch_norm": windowed.batch_norm,
    **dict.fromkeys(axes.ONE_AXIS, axes.one_axis),
    **dict.fromkeys(axes.REDUCTIONS, axes.reduction),
    **dict.fromkeys(axes.CODES, axes.codes),
    "nn.prelu": axes.one_axis,
    "concat": axes.concat,
    "split": axes.split,
    "strided_slice": axes.strided_slice,
    "nn.pad": axes.pad,
    "permute_dims": axes.permute_dims,
    **dict.fromkeys(axes.RESHAPES, axes.reshape),
}
