"""The integer arithmetic in numpy: the reference for every operator of `qdsl.dialect`, under the same names.

Each module states its algebra first. Where a kernel computes in float32 so does the reference, operation by operation,
and both agree to the bit; where a kernel computes in integers the reference uses int64.
"""

from qdsl.numerics.fixed_point import FixedPoint, fixed_point, multiply
from qdsl.numerics.lookup import lookup, positions, tabulate
from qdsl.numerics.quantize import dequantize, quantize, simulated_quantize, storage
from qdsl.numerics.requantize import affine, requantize

__all__ = [
    "FixedPoint",
    "affine",
    "dequantize",
    "fixed_point",
    "lookup",
    "multiply",
    "positions",
    "quantize",
    "requantize",
    "simulated_quantize",
    "storage",
    "tabulate",
]
