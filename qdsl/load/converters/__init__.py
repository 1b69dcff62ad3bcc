"""Converters of our own, used before TVM's.

Each takes (builder, inputs, attributes, opset) and returns a Relax value, a tuple of them, or None to leave the node
to TVM's converter. They exist where TVM's loses what a rule needs (Pad's widths, Clip's bounds), is wrong, or does not
know an older operator set.
"""

from __future__ import annotations

from qdsl.load.converters import elementwise, legacy, linear, resize, shape
from qdsl.load.converters.base import Converter

CONVERTERS: dict[str, Converter] = {
    **elementwise.CONVERTERS,
    **linear.CONVERTERS,
    **shape.CONVERTERS,
    **resize.CONVERTERS,
    **legacy.CONVERTERS,
}

__all__ = ["CONVERTERS", "Converter"]
