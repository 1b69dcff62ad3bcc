"""The graph up to its final softmax or sigmoid, with the shapes of the samples: what every tool is given alike.

Behind a softmax or a sigmoid that has made up its mind every error vanishes, and where it has not every error counts,
so the SQNR there says more of the sample than of the quantizer. What is compared is what goes into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.utils import Extractor

Sample = Mapping[str, NDArray[np.generic]]

MOVES = {"Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Cast", "Flatten"}
SQUASHING = {"Softmax", "Sigmoid"}


def prepared(model: onnx.ModelProto, shapes: Mapping[str, Sequence[int]]) -> onnx.ModelProto:
    """`model` with fixed shapes and its float outputs before what squashes them; outputs that only pass on an input,
    or are no float32, are left out."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    initializers = {i.name for i in fixed.graph.initializer}
    inputs = [i for i in fixed.graph.input if i.name not in initializers]
    del fixed.graph.input[:]
    for value in inputs:
        kind = value.type.tensor_type.elem_type
        fixed.graph.input.append(onnx.helper.make_tensor_value_info(value.name, kind, list(shapes[value.name])))
    del fixed.graph.value_info[:]
    maker = {output: node for node in fixed.graph.node for output in node.output}
    ends = [
        _before(o.name, maker) for o in fixed.graph.output if o.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    ]
    for name in ends:
        if name not in {o.name for o in fixed.graph.output}:
            fixed.graph.value_info.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    cut = Extractor(fixed).extract_model([i.name for i in inputs], list(dict.fromkeys(ends)))
    return onnx.shape_inference.infer_shapes(cut)


def _before(name: str, maker: Mapping[str, onnx.NodeProto]) -> str:
    """The value that goes into the softmax or sigmoid at the end, or `name` where there is none."""
    current = name
    while current in maker and maker[current].op_type in MOVES:
        current = maker[current].input[0]
    if current not in maker:
        return name
    node = maker[current]
    if node.op_type in SQUASHING:
        return str(node.input[0])
    return _numerator(node, maker) or name


def _numerator(node: onnx.NodeProto, maker: Mapping[str, onnx.NodeProto]) -> str | None:
    """A softmax that is written out: exp(x - max) / sum."""
    if node.op_type != "Div" or node.input[0] not in maker:
        return None
    exponential = maker[node.input[0]]
    shifted = maker.get(exponential.input[0]) if exponential.op_type == "Exp" else None
    return str(shifted.input[0]) if shifted is not None and shifted.op_type == "Sub" else None


def sample_shapes(sample: Sample) -> dict[str, tuple[int, ...]]:
    """Shapes of one sample, by input."""
    return {name: array.shape for name, array in sample.items()}
