"""The inputs of an ONNX graph as it declares them, weights left out."""

from __future__ import annotations

import onnx

from qdsl.errors import ModelError
from qdsl.load.operands import DTYPES
from qdsl.load.shapes import DeclaredInput, Dim


def declared_inputs(graph: onnx.GraphProto) -> tuple[DeclaredInput, ...]:
    """One entry for each input that is not an initialiser (before IR version 4 every weight is an input too).

    Raises:
        ModelError: an input that is no tensor, or a tensor of strings.
    """
    weights = {tensor.name for tensor in graph.initializer}
    return tuple(_declared(value) for value in graph.input if value.name not in weights)


def _declared(value: onnx.ValueInfoProto) -> DeclaredInput:
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        said = "value without a type" if kind is None else kind.removesuffix("_type")
        raise ModelError(f"Input '{value.name}' is a {said}, and qdsl handles tensors only.")
    tensor = value.type.tensor_type
    try:
        dtype = str(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    except (KeyError, ValueError):
        raise ModelError(f"Input '{value.name}' declares no element type that onnx knows.") from None
    if tensor.elem_type == onnx.TensorProto.STRING:
        raise ModelError(f"Input '{value.name}' is a tensor of strings, and qdsl handles numbers only.")
    if dtype not in DTYPES:
        raise ModelError(f"Input '{value.name}' has the element type {dtype}, which does not compile.")
    if not tensor.HasField("shape"):
        return DeclaredInput(value.name, dtype, None)
    return DeclaredInput(value.name, dtype, tuple(_dim(dim) for dim in tensor.shape.dim))


def _dim(dim: onnx.TensorShapeProto.Dimension) -> Dim:
    """Exporters write an open size as a name, as "?", as nothing, or as 0 or -1."""
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return int(dim.dim_value)
    return dim.dim_param if dim.dim_param not in ("", "?") else None
