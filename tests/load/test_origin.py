"""Every binding says which operator of the user's model it belongs to, under a name one can read."""

from __future__ import annotations

import numpy as np
import onnx
from tvm import ir, relax

from qdsl.load import load_model
from qdsl.load.model import SourceOperator
from qdsl.load.names import NameSupply, variable_name

from .models import bindings, model, node, random


def _net() -> onnx.ModelProto:
    nodes = [
        node("Conv", ["in put:0", "w", "b"], ["c"], name="/body/conv.1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "g", "g", "g", "g"], ["n"]),
        node("Shape", ["n"], ["s"]),
        node("HardSwish", ["n"], ["h"], name="/body/conv.1"),
        node("Reshape", ["h", "s"], ["r"], name="same"),
        node("Relu", ["r"], ["out/1"], name="BatchNormalization_1"),
        node("Sigmoid", ["n"], ["2nd"]),
    ]
    constants = {"w": random(4, 4, 3, 3), "b": random(4), "g": np.abs(random(4)) + 0.5}
    return model(nodes, {"in put:0": ["N", 4, 6, 6]}, outputs=["out/1", "2nd"], constants=constants)


def test_operators_in_order_with_unique_names() -> None:
    assert load_model(_net()).operators == (
        SourceOperator("/body/conv.1", "Conv"),
        SourceOperator("BatchNormalization_1_1", "BatchNormalization"),
        SourceOperator("Shape_2", "Shape", constant=True),
        SourceOperator("/body/conv.1_1", "HardSwish"),
        SourceOperator("same", "Reshape"),
        SourceOperator("BatchNormalization_1", "Relu"),
        SourceOperator("Sigmoid_6", "Sigmoid"),
    )


def test_bindings_carry_their_operator() -> None:
    told = [(b.var.name, b.value.span.source_name.name) for b in bindings(load_model(_net()))]
    assert told == [
        ("body_conv_1_conv2d", "/body/conv.1"),
        ("body_conv_1", "/body/conv.1"),
        ("BatchNormalization_1_1_batch_norm", "BatchNormalization_1_1"),
        ("BatchNormalization_1_1", "BatchNormalization_1_1"),
        ("body_conv_1_1_add", "/body/conv.1_1"),
        ("body_conv_1_1_clip", "/body/conv.1_1"),
        ("body_conv_1_1_multiply", "/body/conv.1_1"),
        ("body_conv_1_1", "/body/conv.1_1"),
        ("BatchNormalization_1", "BatchNormalization_1"),
        ("Sigmoid_6", "Sigmoid_6"),
    ]


def test_inputs_and_outputs_keep_their_names_and_order() -> None:
    loaded = load_model(_net())
    (spec,) = loaded.inputs
    assert (spec.name, spec.variable, spec.shape) == ("in put:0", "in_put_0", (1, 4, 6, 6))
    assert loaded.batch_dynamic
    assert loaded.outputs == ("out/1", "2nd")
    function = loaded.module["main"]
    assert [var.name for var in function.params] == ["in_put_0"]
    assert [var.name for var in function.body.body.fields] == ["BatchNormalization_1", "Sigmoid_6"]


def test_one_function_one_block_of_dataflow_variables() -> None:
    module = load_model(_net()).module
    assert [var.name_hint for var in module.functions] == ["main"]
    *inner, relu, sigmoid = bindings(load_model(_net()))
    assert all(isinstance(binding.var, relax.DataflowVar) for binding in inner)
    assert not isinstance(relu.var, relax.DataflowVar)
    assert not isinstance(sigmoid.var, relax.DataflowVar)
    relax.analysis.well_formed(module)


def test_spans_survive_saving() -> None:
    module = load_model(_net()).module
    again = ir.load_json(ir.save_json(module))
    assert again["main"].body.blocks[0].bindings[0].value.span.source_name.name == "/body/conv.1"


def test_loading_twice_gives_the_same_module() -> None:
    ir.assert_structural_equal(load_model(_net()).module, load_model(_net()).module)


def test_a_transpose_that_sinks_keeps_its_operator() -> None:
    nodes = [
        node("Transpose", ["x"], ["t"], perm=[1, 0], name="turn"),
        node("Relu", ["t"], ["r"], name="relu"),
        node("Sigmoid", ["r"], ["y"], name="sigmoid"),
    ]
    told = [(b.value.op.name, b.value.span.source_name.name) for b in bindings(load_model(model(nodes, {"x": [2, 3]})))]
    assert told == [("relax.nn.relu", "relu"), ("relax.sigmoid", "sigmoid"), ("relax.permute_dims", "turn")]


def test_names_that_are_identifiers() -> None:
    assert [variable_name(name) for name in ("/a/b.0/Conv", "0", "é", "x_1")] == ["a_b_0_Conv", "v0", "v", "x_1"]


def test_supply() -> None:
    names = NameSupply(["a_1"])
    assert [names.fresh("a"), names.fresh("a"), names.claim("a_1"), names.claim("a_1")] == ["a", "a_2", "a_1", "a_1_1"]
