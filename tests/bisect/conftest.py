"""A network of four layers, one of which a rule of a test spoils."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qdsl.ruleset import RuleSet, load_rules

COARSE = """
rule coarse
    "Three codes for a sigmoid."
    match     y = sigmoid(x)
    annotate  x as float
              y as fixed(scale=0.5, zero=0)
"""
LAYERS = ("Relu", "Relu", "Sigmoid", "Relu")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """conv -> relu, four times, but with a sigmoid behind the third."""
    random = np.random.default_rng(0)
    nodes, weights = [], []
    for number, activation in enumerate(LAYERS):
        weights.append(numpy_helper.from_array(random.standard_normal((4, 4, 1, 1)).astype("float32"), f"w{number}"))
        nodes.append(helper.make_node("Conv", [f"x{number}", f"w{number}"], [f"c{number}"], f"conv{number}"))
        nodes.append(helper.make_node(activation, [f"c{number}"], [f"x{number + 1}"], f"act{number}"))
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (1, 4, 5, 5)) for n in ("x0", f"x{len(LAYERS)}")]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], weights)
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    built.ir_version = 8
    onnx.save(built, path)
    return path


@pytest.fixture(scope="module")
def coarse(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    path = tmp_path_factory.mktemp("rules") / "coarse.qrule"
    path.write_text(COARSE)
    return load_rules(path)


SAMPLES = {"x0": np.random.default_rng(1).standard_normal((6, 4, 5, 5)).astype("float32")}
