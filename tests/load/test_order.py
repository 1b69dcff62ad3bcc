"""Graphs that are not what ONNX asks for: sorted where that is all they lack, else refused."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from qdsl.errors import ModelError
from qdsl.load import load_model

from .models import model, node, operators, random


def test_nodes_in_any_order() -> None:
    nodes = [node("Relu", ["b"], ["y"]), node("Add", ["a", "x"], ["b"]), node("Exp", ["x"], ["a"])]
    for turned in (nodes, nodes[::-1], [nodes[1], nodes[0], nodes[2]]):
        assert operators(load_model(model(turned, {"x": [2]}))) == {"exp": 1, "add": 1, "nn.relu": 1}


@pytest.mark.parametrize(
    ("nodes", "outputs", "told"),
    [
        (
            [node("Add", ["x", "w"], ["y"], name="sum")],
            ["y"],
            "Operator Add (node sum) reads 'w', which no operator makes.",
        ),
        ([node("Relu", ["x"], ["y"])], ["y", "z"], "The model's output 'z' is made by no operator."),
        (
            [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])],
            ["b"],
            "Operator Relu reads 'a', which is made from its own result.",
        ),
    ],
)
def test_broken_graphs(nodes: list[onnx.NodeProto], outputs: list[str], told: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(model(nodes, {"x": [2]}, outputs=outputs))
    assert str(caught.value) == told


def test_a_long_chain_backwards() -> None:
    nodes = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(3000)][::-1]
    assert operators(load_model(model(nodes, {"v0": [1]}, outputs=["v3000"]))) == {"nn.relu": 3000}


def test_a_weight_of_the_wrong_size() -> None:
    proto = model([node("Add", ["x", "w"], ["y"])], {"x": [3]}, constants={"w": random(3)})
    proto.graph.initializer[0].raw_data = np.zeros(2, np.float32).tobytes()
    with pytest.raises(ModelError, match=r"weight 'w' does not hold the values that its shape \[3\] says"):
        load_model(proto)


def test_inputs_of_other_kinds() -> None:
    proto = model([node("Relu", ["x"], ["y"])], {"x": [3]})
    proto.graph.input[0].type.CopyFrom(onnx.helper.make_sequence_type_proto(proto.graph.input[0].type))
    with pytest.raises(ModelError, match="Input 'x' is a sequence, and qdsl handles tensors only"):
        load_model(proto)
    with pytest.raises(ModelError, match="Input 'x' is a tensor of strings"):
        load_model(model([node("Identity", ["x"], ["y"])], {"x": [3]}, dtypes={"x": onnx.TensorProto.STRING}))
