"""Types of expressions: scales and zero points are part of them.

int8 on the scale x.scale convolved with int8 on the scale w.scale is int32 on x.scale * w.scale; adding two tensors on
different scales, or multiplying one whose zero point is still in it, is a mistake in the rule file and not a wrong
number in a model. Findings Q0301 to Q0308, Q0311 and Q0312.
"""

from qdsl.check.types.check import check_types, infer_types

__all__ = ["check_types", "infer_types"]
