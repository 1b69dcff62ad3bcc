"""Compute one ONNX node from constant inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from qdsl.errors import ModelError
from qdsl.load.graph import Array, attribute

SAME_IN_EVERY_SET = frozenset(
    {
        "Abs", "Add", "And", "ArgMax", "ArgMin", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor",
        "Cast", "CastLike", "Ceil", "Clip", "Concat", "ConstantOfShape", "Cos", "CumSum", "DequantizeLinear", "Div",
        "Equal", "Erf", "Exp", "Expand", "EyeLike", "Flatten", "Floor", "Gather", "GatherElements", "GatherND",
        "Gemm", "Greater", "GreaterOrEqual", "Identity", "IsInf", "IsNaN", "Less", "LessOrEqual", "Log", "MatMul",
        "Max", "Mean", "Min", "Mod", "Mul", "Neg", "NonZero", "Not", "OneHot", "Or", "Pad", "Pow", "Range",
        "Reciprocal", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "Relu", "Reshape", "Round",
        "ScatterElements", "ScatterND", "Sigmoid", "Sign", "Sin", "Slice", "Softplus", "Split", "Sqrt", "Squeeze",
        "Sub", "Sum", "Tanh", "Tile", "TopK", "Transpose", "Trilu", "Unsqueeze", "Where", "Xor",
    }
)  # fmt: skip
"""What onnx's reference computes by the operator set that a model names, or that no later set has changed."""

SINCE = {"BatchNormalization": 15, "LogSoftmax": 13, "Resize": 11, "Softmax": 13}
"""What it computes right from a set on; older ones it computes as newer, or as in training."""

EVALUATED_AS = {"DequantizeLinear": 19}
"""The set of which it has the operator, where an older one says the same."""

LARGEST_GROWTH = 1 << 27
"""Elements that a result may have beyond those of its inputs (512 MiB of float32): a weight may be made that way."""


def constant_value(node: onnx.NodeProto) -> Array | None:
    """The array of a Constant node, or None for strings and sparse tensors."""
    if not node.attribute:
        return None
    entry = node.attribute[0]
    match entry.name:
        case "value":
            return to_array(entry.t)
        case "value_float" | "value_floats":
            return np.asarray(onnx.helper.get_attribute_value(entry), dtype=np.float32)
        case "value_int" | "value_ints":
            return np.asarray(onnx.helper.get_attribute_value(entry), dtype=np.int64)
    return None


def to_array(tensor: onnx.TensorProto) -> Array:
    """The tensor's values with its exact shape.

    Raises:
        ModelError: a tensor that does not hold as many values as its shape says.
    """
    try:
        return numpy_helper.to_array(tensor).reshape(tuple(tensor.dims))
    except (ValueError, TypeError):
        raise ModelError(
            f"The weight '{tensor.name}' does not hold the values that its shape {list(tensor.dims)} says."
        ) from None


def shape_value(node: onnx.NodeProto, shape: Sequence[int]) -> Array:
    """The result of a Shape or Size node that reads a tensor of the given shape."""
    if node.op_type == "Size":
        return np.asarray(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    start, end = attribute(node, "start", 0), attribute(node, "end", None)
    return np.asarray(tuple(shape)[slice(start, end)], dtype=np.int64)


def evaluate(
    node: onnx.NodeProto, inputs: Sequence[Array | None], opset: int, shape: Sequence[int] | None
) -> list[Array] | None:
    """The node's outputs, or None where they cannot be or should not be computed while loading.

    `inputs` stand in the node's order, None for one that is left out; `shape` is the first output's, where known.
    """
    if node.domain not in ("", "ai.onnx") or not _is_trusted(node, opset):
        return None
    if _grows_too_much(inputs, shape):
        return None
    names = [f"i{position}" if value is not None else "" for position, value in enumerate(inputs)]
    alone = onnx.NodeProto()
    alone.CopyFrom(node)
    del alone.input[:]
    alone.input.extend(names)
    try:
        with np.errstate(all="ignore"):
            runner = ReferenceEvaluator(_model_of(alone, max(opset, EVALUATED_AS.get(node.op_type, 0))))
            results = runner.run(None, {name: value for name, value in zip(names, inputs, strict=True) if name})
    except Exception:  # an operator the reference lacks or refuses: it stays in the graph
        return None
    if not all(isinstance(result, np.ndarray | np.generic) for result in results):
        return None
    return [np.asarray(result) for result in results]


def _is_trusted(node: onnx.NodeProto, opset: int) -> bool:
    if opset < 7 and attribute(node, "broadcast", 0):
        return False
    return node.op_type in SAME_IN_EVERY_SET or opset >= SINCE.get(node.op_type, opset + 1)


def _grows_too_much(inputs: Sequence[Array | None], shape: Sequence[int] | None) -> bool:
    if shape is None:
        return False
    read = sum(value.size for value in inputs if value is not None)
    return int(np.prod(shape, dtype=np.int64)) > read + LARGEST_GROWTH


def _model_of(node: onnx.NodeProto, opset: int) -> onnx.ModelProto:
    untyped = onnx.TypeProto()
    graph = onnx.GraphProto(
        node=[node],
        name="fold",
        input=[onnx.ValueInfoProto(name=name, type=untyped) for name in dict.fromkeys(node.input) if name],
        output=[onnx.ValueInfoProto(name=name, type=untyped) for name in node.output if name],
    )
    return onnx.ModelProto(
        ir_version=min(10, onnx.IR_VERSION),
        graph=graph,
        opset_import=[onnx.OperatorSetIdProto(domain="", version=opset)],
    )
