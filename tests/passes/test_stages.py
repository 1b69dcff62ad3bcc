"""The stages as TVM passes: in a Sequential, with files between them, and stopped at any of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tvm
from tvm import IRModule, ir, relax

from qdsl import dialect, transform
from qdsl.calibrate.calibration import Calibration
from qdsl.errors import DataError, RuleError
from qdsl.match.graph import dtype_of
from qdsl.passes.rebuild import main_graph
from qdsl.session.provenance import digest_of_module

from ..match.net import Net, nn, operators
from .interpreter import outputs
from .staged import samples_for, staged


def network() -> IRModule:
    """A norm, a shared weight, a residual, a split of which one part is read, two outputs."""
    net = Net()
    x = net.input(1, 4, 6, 6)
    weight = net.const(4, 4, 3, 3, spread=0.2)
    a = net.batch_norm(net.emit(nn.conv2d(x, weight, padding=1), "a"), "n")
    r = net.emit(nn.relu(a), "r")
    b = net.emit(nn.conv2d(r, weight, padding=1), "b")
    total = net.emit(relax.op.add(b, r), "total")
    (half,) = net.items(net.emit(relax.op.split(total, 2, 1), "s"), 1)
    return net.module(net.conv(half, 3, name="last"), r)


MODULE = network()
SAMPLES = samples_for(MODULE, 3)


def by_file(module: IRModule, folder: Path, name: str) -> IRModule:
    path = folder / f"{name}.json"
    path.write_text(str(ir.save_json(module)))
    return ir.load_json(path.read_text())


@pytest.fixture(scope="module")
def calibrated() -> Calibration:
    return transform.calibrate_module(transform.Annotate()(transform.Fold()(MODULE)), SAMPLES, transform.QConfig())[1]


def test_passes_in_a_sequential_are_the_stages(calibrated: Calibration) -> None:
    sequence = tvm.transform.Sequential(
        [transform.Fold(), transform.Annotate(), transform.Calibrate(calibrated), transform.Realize()]
    )
    once = transform.Quantize(calibrated)(MODULE)
    assert digest_of_module(sequence(MODULE)) == digest_of_module(once)
    assert [str(i.name) for i in transform.Fold().info.required] == []
    assert transform.Fold().info.name == "qdsl.Fold"


def test_a_module_may_be_saved_between_any_two_stages(tmp_path: Path, calibrated: Calibration) -> None:
    straight, saved = MODULE, MODULE
    for stage in (transform.Fold(), transform.Annotate(), transform.Calibrate(calibrated), transform.Realize()):
        straight, saved = stage(straight), by_file(stage(saved), tmp_path, "stage")
        ir.assert_structural_equal(saved, straight)
        relax.analysis.well_formed(saved)
        assert saved.script()
    for a, b in zip(outputs(straight, SAMPLES[0]), outputs(saved, SAMPLES[0]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_calibration_in_a_file_gives_the_same_numbers(tmp_path: Path, calibrated: Calibration) -> None:
    path = calibrated.save(tmp_path / "calibration.npz")
    annotated = transform.Annotate()(transform.Fold()(MODULE))
    ir.assert_structural_equal(
        transform.Calibrate(Calibration.load(path))(annotated), transform.Calibrate(calibrated)(annotated)
    )


def test_compiled_calibration_sees_what_numpy_sees(calibrated: Calibration) -> None:
    """float32 in TVM, float64 here: the ends of the ranges agree to float32's resolution."""
    reference = staged(MODULE, SAMPLES).calibration
    assert calibrated.sketches.keys() == reference.sketches.keys()
    for name, sketch in reference.sketches.items():
        found = calibrated.sketches[name]
        bound = 1e-5 * max(abs(sketch.minimum), abs(sketch.maximum))
        assert found.minimum == pytest.approx(sketch.minimum, abs=bound)
        assert found.maximum == pytest.approx(sketch.maximum, abs=bound)


def test_two_runs_in_one_process_give_identical_modules(calibrated: Calibration) -> None:
    first, second = (transform.Quantize(calibrated)(network()) for _ in range(2))
    assert digest_of_module(first) == digest_of_module(second)


def test_the_annotated_module_speaks_of_rules_and_scales() -> None:
    annotated = transform.Annotate()(MODULE)
    text = annotated.script()
    for part in ('rule="convolution"', 'on_scale="a.w.weight[0] * x.act"', "R.qdsl.simulated_quantize(x"):
        assert part in text
    graph = main_graph(annotated)
    assert all(dialect.scale_of(b.value) is None for b in graph.bindings if dialect.is_call(b.value))


def test_the_integer_module_has_no_float_operator_between_its_conversions(calibrated: Calibration) -> None:
    made = transform.Quantize(calibrated)(MODULE)
    floats = [
        b
        for b in main_graph(made).bindings
        if isinstance(b.value, relax.Call) and dtype_of(b.value) == "float32" and not dialect.is_call(b.value)
    ]
    assert not floats
    assert operators(made).count("qdsl.quantize") == 1
    assert operators(made).count("qdsl.dequantize") == 2


@pytest.mark.parametrize(
    ("stage", "error", "message"),
    [
        (lambda m: transform.Realize()(transform.Annotate()(m)), RuleError, "calibrate the module before realizing it"),
        (lambda m: transform.Calibrate([])(transform.Annotate()(m)), DataError, "empty"),
        (lambda m: transform.Calibrate(Calibration())(transform.Annotate()(m)), DataError, "does not know value"),
    ],
)
def test_stages_out_of_order_are_told(
    stage: Callable[[IRModule], IRModule], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        stage(MODULE)


def test_a_module_of_other_rules_is_told() -> None:
    from .claims_rules import rules_of, taking

    other = rules_of(taking("mine", "y = tanh(x)"))
    with pytest.raises(RuleError, match="annotated by a rule 'relu' that these rules do not have"):
        transform.Realize(rules=other)(staged(MODULE, SAMPLES).simulated)
