"""The bundled networks from file to integers: accuracy, each operator's outcome, integers beside simulation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

import qdsl
from qdsl import dialect
from qdsl.lower.compile import compile as compile_module
from qdsl.lower.evaluator import Evaluator
from qdsl.passes.rebuild import main_graph
from qdsl.session.result import Result

MODELS = Path(__file__).parents[2] / "examples" / "models"
SQNR = {"bn_reproducer": 29.5, "digits_cnn": 38.5, "digits_dw": 36.5}
"""The least SQNR in dB on the test data: between what ONNX Runtime's per-channel QDQ reaches and what ours should."""
RIGHT = 591
"""Of 600 test images; the float networks have 593."""
Array = NDArray[np.float32]


def data_of(name: str) -> tuple[Array, Array]:
    """Calibration and test inputs."""
    if name == "bn_reproducer":
        found = np.load(MODELS / "bn_reproducer_inputs.npz")
        return found["calib"], found["test"]
    return np.load(MODELS / "digits_calib.npz")["x"], np.load(MODELS / "digits_test.npz")["x"]


@cache
def quantized(name: str) -> Result:
    return qdsl.quantize(MODELS / f"{name}.onnx", {"input": data_of(name)[0]})


def run_each(module: object, samples: Array) -> Array:
    runnable = compile_module(module)
    return np.concatenate([next(iter(runnable.run({"input": x[None]}).values())) for x in samples])


@pytest.mark.parametrize("name", SQNR)
def test_accuracy(name: str) -> None:
    result, (_, test) = quantized(name), data_of(name)
    truth = run_each(result.loaded.module, test)
    (made,) = result.run({"input": test}).values()
    noise = np.sum((truth.astype(np.float64) - made) ** 2)
    assert 10 * np.log10(np.sum(truth.astype(np.float64) ** 2) / noise) >= SQNR[name]
    if name != "bn_reproducer":
        labels = np.load(MODELS / "digits_test.npz")["y"]
        assert np.sum(made.argmax(axis=1) == labels) >= RIGHT


@pytest.mark.parametrize("name", SQNR)
def test_every_operator_between_input_and_output_is_in_integers(name: str) -> None:
    report = quantized(name).report
    assert (report.count("float"), report.count("skipped")) == (0, 0)
    assert {r.op for r in report.rows if r.outcome == "folded"} == {"BatchNormalization"}
    assert (report.counts["quantize_ops"], report.counts["dequantize_ops"]) == (1, 1)
    nodes = [n for n in onnx.load(MODELS / f"{name}.onnx").graph.node if n.op_type != "Constant"]
    assert [(r.name, r.op) for r in report.rows] == [(n.name, n.op_type) for n in nodes]


@pytest.mark.parametrize("name", SQNR)
def test_integers_and_simulation_agree_within_a_step(name: str) -> None:
    """At the output, in steps of the 8 bits that would hold it; and at every narrowing in between, in codes."""
    result, test = quantized(name), data_of(name)[1][:20]
    simulated = main_graph(result.simulated)
    marks = {b.var.name: b.value for b in simulated.bindings if dialect.is_call(b.value, "simulated_quantize")}
    narrowed = [b.var.name for b in main_graph(result.integer).bindings if b.var.name in marks]
    codes, reals = Evaluator(result.integer, narrowed), Evaluator(result.simulated, narrowed)
    for sample in test:
        seen, expected = codes.run({"input": sample[None]}), reals.run({"input": sample[None]})
        for value in narrowed:
            step, zero = dialect.scale_of(marks[value]).value.numpy(), dialect.attributes(marks[value])["zero"]
            assert np.max(np.abs(np.round(expected[value] / step) + zero - seen[value].astype(np.int64))) <= 1
    wanted, made = run_each(result.simulated, test), run_each(result.integer, test)
    assert np.max(np.abs(wanted - made)) <= np.ptp(wanted) / 255


def test_no_bias_overflows_its_accumulator() -> None:
    for binding in main_graph(quantized("bn_reproducer").integer).bindings:
        for operand in getattr(binding.value, "args", ()):
            if hasattr(operand, "value") and str(getattr(operand.ty, "dtype", "")) == "int32":
                assert np.max(np.abs(operand.value.numpy().astype(np.int64)), initial=0) <= 2**29


def test_a_rule_of_ones_own_for_depthwise_weights(tmp_path: Path) -> None:
    """One scale for the whole weight where there is one input channel a group; other convolutions stay."""
    (tmp_path / "depthwise.qrule").write_text(
        "scheme coarse = int8 symmetric per_tensor narrow\n"
        "rule depthwise overrides convolution\n"
        '    "One scale for a depthwise weight."\n'
        "    match     y = nn.conv2d(x, w)\n"
        "    when      constant(w) and size(w, I) == 1 and y.groups > 1\n"
        "    annotate  x as act\n"
        "              w as coarse\n"
        "              y as acc = x.scale * w.scale\n"
        "    realize   y = nn.conv2d(centered(x), w, **y, out_dtype=int32)\n"
    )
    rules = qdsl.load_rules(tmp_path / "depthwise.qrule")
    assert [d.message for d in rules.check() if d.is_error] == []
    result = qdsl.quantize(MODELS / "digits_dw.onnx", rules=rules, stage="annotate")
    convolutions = {r.name: r.rule for r in result.report.rows if r.op == "Conv"}
    changed = [name for name, rule in convolutions.items() if rule.startswith("depthwise")]
    assert changed == [n for n in convolutions if "/dw" in n]


def test_a_rule_for_an_operator_that_the_stock_rules_do_not_know(tmp_path: Path) -> None:
    """No Python: the rule says how it is annotated and realized."""
    nodes = [
        onnx.helper.make_node("Conv", ["x", "w"], ["c"], "first"),
        onnx.helper.make_node("Sin", ["c"], ["s"], "wave"),
        onnx.helper.make_node("Conv", ["s", "v"], ["y"], "second"),
    ]
    value = onnx.helper.make_tensor_value_info
    weights = np.random.default_rng(0).standard_normal((4, 4, 1, 1)).astype("float32")
    constants = [onnx.numpy_helper.from_array(weights, n) for n in ("w", "v")]
    graph = onnx.helper.make_graph(
        nodes, "wave", [value("x", 1, [1, 4, 4, 4])], [value("y", 1, [1, 4, 4, 4])], constants
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    samples = [{"x": np.random.default_rng(i).standard_normal((1, 4, 4, 4)).astype("float32")} for i in range(4)]
    assert qdsl.quantize(model, samples).report.row("wave").outcome == "float"
    (tmp_path / "wave.qrule").write_text(
        "rule wave\n"
        '    "A curve."\n'
        "    match     y = sin(x)\n"
        "    when      wanted(y)\n"
        "    annotate  x as any\n"
        "              y as wide\n"
        "    realize   y = lookup(sin, x)\n"
    )
    result = qdsl.quantize(model, samples, rules=qdsl.load_rules(tmp_path / "wave.qrule"))
    assert (result.report.row("wave").outcome, result.report.row("wave").rule) == ("quantized", "wave")
    assert result.report.outputs[0].sqnr_db > 20


def test_the_same_inputs_give_the_same_module() -> None:
    again = qdsl.quantize(MODELS / "digits_cnn.onnx", {"input": data_of("digits_cnn")[0]})
    digests = [r.report.provenance["sha256"] for r in (quantized("digits_cnn"), again)]
    assert digests[0] == digests[1]
