"""What does not depend on the inputs' values is gone before import: sizes, branches, functions, old-style weights."""

from __future__ import annotations

import time

import numpy as np
import onnx
import pytest
from onnx import helper

from qdsl.errors import ModelError
from qdsl.load import load_model
from qdsl.load.evaluate import evaluate

from .models import bindings, feeds_for, model, node, operators, random, reference, run


def _same(proto: onnx.ModelProto) -> None:
    loaded = load_model(proto)
    feeds = feeds_for(loaded)
    for got, wanted in zip(run(loaded, feeds), reference(proto, feeds), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_weights_that_are_also_inputs() -> None:
    proto = model([node("MatMul", ["x", "w"], ["y"])], {"x": [2, 3], "w": [3, 4]}, constants={"w": random(3, 4)})
    loaded = load_model(proto)
    assert [spec.name for spec in loaded.inputs] == ["x"]
    np.testing.assert_allclose(run(loaded, {"x": random(2, 3)})[0], random(2, 3) @ random(3, 4), rtol=1e-5, atol=1e-6)


def test_constant_nodes_of_every_kind() -> None:
    nodes = [
        node("Constant", [], ["a"], value_float=2.0),
        node("Constant", [], ["b"], value_floats=[1.0, 2.0, 3.0]),
        node("Constant", [], ["c"], value_ints=[3, -1]),
        node("Constant", [], ["d"], value_int=1),
        node("Constant", [], ["e"], value=onnx.numpy_helper.from_array(random(3))),
        node("Mul", ["x", "a"], ["f"]),
        node("Add", ["f", "b"], ["g"]),
        node("Add", ["g", "e"], ["h"]),
        node("Reshape", ["h", "c"], ["i"]),
        node("Unsqueeze", ["i", "k"], ["y"]),
        node("Unsqueeze", ["d", "z"], ["k"]),
    ]
    nodes[-2:] = nodes[:-3:-1]
    proto = model(nodes, {"x": [1, 3]}, constants={"z": np.asarray([0], np.int64)})
    assert operators(load_model(proto)) == {"multiply": 1, "add": 2, "reshape": 1, "expand_dims": 1}
    _same(proto)


def _branch(op: str, *names: str) -> onnx.GraphProto:
    """A branch that reads x from outside; its inner value is named as one outside is."""
    nodes = [node(op, ["x"], ["inner"], name=f"{op}_inside"), *(node("Neg", ["inner"], [name]) for name in names)]
    return helper.make_graph(nodes, op, [], [onnx.ValueInfoProto(name=name, type=onnx.TypeProto()) for name in names])


def _conditional(condition: list[onnx.NodeProto], constants: dict[str, object]) -> onnx.ModelProto:
    nodes = [
        *condition,
        node(
            "If", ["cond"], ["z"], then_branch=_branch("Relu", "t"), else_branch=_branch("Sigmoid", "e"), name="choice"
        ),
        node("Exp", ["x"], ["inner"]),
        node("Add", ["z", "inner"], ["y"]),
    ]
    return model(nodes, {"x": ["N", 3]}, constants=constants)


@pytest.mark.parametrize(("rows", "op"), [(1, "nn.relu"), (2, "sigmoid")])
def test_branch_that_a_shape_decides(rows: int, op: str) -> None:
    condition = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Equal", ["n", "one"], ["cond"]),
    ]
    proto = _conditional(condition, {"zero": np.int64(0), "one": np.int64(1)})
    loaded = load_model(proto, shapes={"x": (rows, 3)})
    assert operators(loaded) == {op: 1, "negative": 1, "exp": 1, "add": 1}
    assert (
        bindings(loaded)[0].value.span.source_name.name == {"nn.relu": "Relu_inside", "sigmoid": "Sigmoid_inside"}[op]
    )


def test_branch_that_an_input_decides() -> None:
    condition = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "zero"], ["cond"])]
    with pytest.raises(ModelError, match=r"If \(node choice\): its condition depends on the model's inputs"):
        load_model(_conditional(condition, {"zero": 0.0}))


def test_local_functions() -> None:
    body = [node("Relu", ["a"], ["r"]), node("Add", ["r", "b"], ["c"])]
    opsets = [helper.make_opsetid("", 17)]
    function = helper.make_function("my.ops", "ReluAdd", ["a", "b"], ["c"], body, opsets)
    nodes = [node("ReluAdd", ["x", "x"], ["h"], domain="my.ops"), node("ReluAdd", ["h", "x"], ["y"], domain="my.ops")]
    proto = model(nodes, {"x": [2, 3]}, functions=[function])
    assert operators(load_model(proto)) == {"nn.relu": 2, "add": 2}
    _same(proto)


def test_dead_operators_need_no_importer() -> None:
    nodes = [node("Det", ["x"], ["unread"]), node("Relu", ["x"], ["y"])]
    loaded = load_model(model(nodes, {"x": [2, 2]}))
    assert operators(loaded) == {"nn.relu": 1}
    assert [operator.constant for operator in loaded.operators] == [True, False]


def test_outputs_that_are_inputs_constants_or_twice_the_same() -> None:
    proto = model([node("Relu", ["x"], ["r"])], {"x": [2, 2]}, outputs=["r", "x", "c", "r"], constants={"c": random(3)})
    loaded = load_model(proto)
    assert loaded.outputs == ("r", "x", "c", "r")
    feeds = feeds_for(loaded)
    for got, wanted in zip(run(loaded, feeds), reference(proto, feeds), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_a_weight_read_twice_stays_one_constant() -> None:
    nodes = [node("Gemm", ["x", "w"], ["a"], transB=1), node("Gemm", ["a", "w"], ["y"], transB=1)]
    first, second = bindings(load_model(model(nodes, {"x": [2, 3]}, constants={"w": random(3, 3)})))
    assert first.value.args[1].same_as(second.value.args[1])


def test_weights_made_by_operators_are_constants() -> None:
    nodes = [
        node("Cast", ["half"], ["w"], to=onnx.TensorProto.FLOAT),
        node("DequantizeLinear", ["codes", "scale"], ["v"]),
        node("MatMul", ["x", "w"], ["a"]),
        node("MatMul", ["a", "v"], ["y"]),
    ]
    constants = {"half": random(3, 3).astype(np.float16), "codes": np.eye(3, dtype=np.int8), "scale": 0.5}
    loaded = load_model(model(nodes, {"x": [2, 3]}, constants=constants))
    assert operators(loaded) == {"matmul": 2}
    weights = [binding.value.args[1].value.numpy() for binding in bindings(loaded)]
    np.testing.assert_array_equal(weights[0], constants["half"].astype(np.float32))
    np.testing.assert_array_equal(weights[1], np.eye(3, dtype=np.float32) / 2)


def test_random_numbers_are_not_folded() -> None:
    assert evaluate(node("RandomNormal", [], ["y"], shape=[2]), [], 17, (2,)) is None


def test_a_constant_too_large_to_hold_is_left_alone() -> None:
    size = np.asarray([1 << 20, 1 << 10], np.int64)
    assert evaluate(node("ConstantOfShape", ["s"], ["y"]), [size], 17, tuple(size)) is None


def test_cost_is_linear() -> None:
    """Eight times the operators may take some sixteen times the time, and not the sixty-four that a square takes."""

    def seconds(length: int) -> float:
        nodes = [
            node(("Relu", "Add")[i % 2], [f"v{i}"] + (["c"] if i % 2 else []), [f"v{i + 1}"]) for i in range(length)
        ]
        proto = model(nodes, {"v0": [1, 4]}, outputs=[f"v{length}"], constants={"c": random(4)})
        start = time.process_time()
        assert len(bindings(load_model(proto))) == length
        return time.process_time() - start

    seconds(50)
    assert seconds(1600) < 16 * max(seconds(200), 0.02)
