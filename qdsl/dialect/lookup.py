"""lookup: any function of an 8-bit value, as a table of its 256 results.

    y = table[x - least code of x's dtype]

so position 0 belongs to -128 of int8 and to 0 of uint8. The reference is `qdsl.numerics.lookup`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tvm import relax, te
from tvm.ir import Call, Expr, Span

from qdsl.dialect import kernels
from qdsl.dialect.checks import known_shape, tensor_type
from qdsl.dialect.operator import build, define
from qdsl.dialect.quantize import with_dtype

POSITIONS = 256
BROADCAST = 1
"""FuseOps' pattern kind. Left to itself it takes a gather by a value for an arbitrary access and fuses nothing; each
element reads one element of x and one of the constant table. Elementwise, which a convolution takes into its own
kernel too, cannot be said: its number is 0, and the pass reads that as not given."""


def lookup(x: relax.Expr, table: NDArray[np.generic], *, span: Span | None = None) -> Call:
    """int8 or uint8 codes of any shape to the table's dtype; `table` has shape (256,), integers or float32.

    ValueError for another table.
    """
    array = np.ascontiguousarray(table)
    if array.shape != (POSITIONS,) or str(array.dtype) not in ("int8", "uint8", "int16", "uint16", "int32", "float32"):
        raise ValueError(f"a lookup table has shape (256,) and a dtype of the dialect, not {array.shape} {array.dtype}")
    return build("lookup", [x, relax.const(array, str(array.dtype))], {}, span)


def _infer(call: Call) -> relax.Type:
    x, table = tensor_type(call, 0, ["int8", "uint8"]), tensor_type(call, 1)
    return with_dtype(x, str(table.dtype.dtype))


def _legalize(builder: relax.BlockBuilder, call: Call) -> relax.Expr:
    x, table = call.args
    if not known_shape(x):
        return call
    least = int(np.iinfo(str(x.ty.dtype.dtype)).min)

    def kernel(x: te.Tensor, table: te.Tensor) -> te.Tensor:
        def entry(index: kernels.Index) -> Expr:
            return table[x[index].astype("int32") - least]

        return kernels.elementwise(x, "lookup", entry)

    attrs = {"op_pattern": BROADCAST}
    return builder.call_te(kernel, x, table, primfunc_name_hint="lookup", primfunc_attrs=attrs)


define("lookup", "8-bit codes through a table: table[x - least code]", _infer, _legalize)
