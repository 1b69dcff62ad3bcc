"""Relax operators of qdsl's own: what annotate, calibrate and realize write into a module.

Importing this package registers `relax.qdsl.*`. Every constructor returns a call that is not yet emitted. Scales are
arrays of shape () per tensor or (channels,) along `axis`, float64 outside and float32 in the module; zero points are
integers; `dtype`, `low` and `high` say which codes there are (int4 and uint4 are stored in int8 and uint8). The
arithmetic of each, to the bit, stands in `qdsl.numerics`.

    annotated, simulated_quantize      the annotated and the simulated module: float32 in, float32 out
    probe                              a conversion whose numbers are operands, for calibrating and measuring
    quantize, dequantize, requantize   the edges of the integer module
    affine, lookup                     integer operators that the builders of `realize` need
"""

from qdsl.dialect.affine import affine
from qdsl.dialect.annotation import annotated, captures_of, scale_of, simulated_quantize
from qdsl.dialect.lookup import lookup
from qdsl.dialect.operator import attributes, is_call
from qdsl.dialect.probe import probe
from qdsl.dialect.quantize import dequantize, quantize
from qdsl.dialect.requantize import requantize

__all__ = [
    "affine",
    "annotated",
    "attributes",
    "captures_of",
    "dequantize",
    "is_call",
    "lookup",
    "probe",
    "quantize",
    "requantize",
    "scale_of",
    "simulated_quantize",
]
