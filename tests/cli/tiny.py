"""A network of three operators, small enough to be quantized in a second."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (1, 4, 6, 6)


def tiny_model(path: Path, last: str = "Relu") -> Path:
    """conv -> relu -> `last`, from `x` to `y`; weights from a fixed seed."""
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((8, 4, 3, 3)) * 0.2, "b": rng.standard_normal(8)}
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1] * 4),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node(last, ["r"], ["y"], "last"),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 8, 6, 6))],
        [numpy_helper.from_array(array.astype("float32"), name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


def samples(count: int = 4) -> np.ndarray:
    """Samples first, (count, 4, 6, 6) float32."""
    return np.random.default_rng(1).standard_normal((count, *SHAPE[1:])).astype("float32")
