"""What TVM's converters accept and then compute wrongly: refused here, rather than found out in the numbers."""

from __future__ import annotations

import onnx
from tvm import relax

from qdsl.load.converters.base import Attributes
from qdsl.load.graph import static_shape
from qdsl.load.operands import DTYPES, dtype_of, shape_of

IGNORED: dict[tuple[str, str], object] = {
    ("IsInf", "detect_negative"): 1,
    ("IsInf", "detect_positive"): 1,
    ("Resize", "antialias"): 0,
    ("RoiAlign", "mode"): b"avg",
    ("SpaceToDepth", "mode"): b"DCR",
}
"""Attributes that TVM does not look at, with the one value for which that is right."""


def refuse_attributes(op: str, attributes: Attributes) -> None:
    """Raise ValueError for an attribute whose value TVM would ignore."""
    for name, value in attributes.items():
        right = IGNORED.get((op, name), value)
        if right != value:
            shown, only = (text.decode() if isinstance(text, bytes) else text for text in (value, right))
            raise ValueError(f"its attribute {name} is {shown}, and Relax computes {name}={only} only.")


def check_result(result: object, declared: onnx.TypeProto | None) -> None:
    """Raise ValueError where what was made has no shape known, or another shape or dtype than ONNX gives it."""
    if not isinstance(result, relax.Expr) or not isinstance(result.ty, relax.TensorType):
        return
    dtype = dtype_of(result)
    if dtype not in DTYPES:
        raise ValueError(f"its result has the element type {dtype}, which does not compile.")
    shape, wanted = shape_of(result), static_shape(declared)
    if shape is None:
        raise ValueError(
            "the shape of its result depends on the values that it reads, "
            "and qdsl needs every shape before the model runs."
        )
    if wanted is not None and shape != wanted:
        raise ValueError(f"Relax makes a result of shape {list(shape)}, and ONNX says {list(wanted)}.")
    element = declared.tensor_type.elem_type if declared is not None else 0
    if element and str(onnx.helper.tensor_dtype_to_np_dtype(element)) != dtype:
        said = onnx.helper.tensor_dtype_to_np_dtype(element)
        raise ValueError(f"Relax makes a result of {dtype}, and ONNX says {said}.")
