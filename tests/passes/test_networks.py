"""Random networks through every stage: nothing is lost, nothing drifts, and integers are what the simulation says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, note
from hypothesis import strategies as st
from tvm import IRModule, ir, relax

from qdsl import dialect
from qdsl.config import QConfig
from qdsl.lower.evaluator import Evaluator
from qdsl.match.graph import is_constant
from qdsl.passes.rebuild import main_graph
from qdsl.session.provenance import digest_of_module

from ..match.examples import examples
from .forced import compare
from .interpreter import outputs, run
from .networks import networks
from .staged import Staged, samples_for, staged

FLOAT_ROUNDINGS = 512
"""float32 roundings in one operator: a sum of up to 256 products has that many products and as many additions."""

CHOICES = {
    "per_channel": [False],
    "asymmetric": [False],
    "dtype_input": ["int8", "int16"],
    "nbit_input": [4, 6],
    "nbit_weight": [4],
    "requantize": ["fixed"],
    "calibrate_mode": ["mse", "percentile", "entropy", "global_scale"],
    "weight_scale": ["power2"],
    "fold_batch_norm": [False],
    "store_lowbit_output": [True],
}


@st.composite
def configs(draw: st.DrawFn) -> QConfig:
    """A third of the options away from their defaults."""
    chosen = {n: draw(st.sampled_from(values)) for n, values in CHOICES.items() if draw(st.integers(0, 2)) == 0}
    return QConfig(**chosen)


@examples(40)
@given(configs(), networks())
def test_integers_are_what_the_simulation_says(config: QConfig, module: IRModule) -> None:
    """Operator by operator within one step, on a calibration sample and on one that saturates."""
    note(repr(config))
    note(str(module))
    samples = samples_for(module)
    made = staged(module, samples, config)
    loud = {name: array * 5 for name, array in samples[0].items()}
    for sample in (samples[0], loud):
        for compared in compare(made.simulated, made.rules, sample):
            assert compared.steps <= 1, compared


@examples(25)
@given(networks())
def test_every_stage_is_a_module(module: IRModule) -> None:
    note(str(module))
    samples = samples_for(module)
    made = staged(module, samples)
    for stage in (made.folded, made.annotated, made.simulated, made.integer):
        relax.analysis.well_formed(stage)
        assert "R.output" in stage.script()
        ir.assert_structural_equal(ir.load_json(ir.save_json(stage)), stage)
        assert [str(p.name) for p in stage["main"].params] == [str(p.name) for p in module["main"].params]
        ir.assert_structural_equal(stage["main"].ret_ty, module["main"].ret_ty)
    assert_only_tensors_are_quantized(made.annotated)
    assert_folds_and_marks_change_nothing(module, made, samples[0])
    assert digest_of_module(staged(module, samples).integer) == digest_of_module(made.integer)


def assert_only_tensors_are_quantized(annotated: IRModule) -> None:
    graph = main_graph(annotated)
    norms = {o for b in graph.bindings if "batch_norm" in str(getattr(b.value, "op", "")) for o in b.value.args[1:]}
    assert all(is_constant(o) for o in norms), "the parameters of a norm are left alone"
    for binding in graph.bindings:
        if dialect.is_call(binding.value, "simulated_quantize"):
            assert isinstance(binding.value.args[0].ty, relax.TensorType)


def assert_folds_and_marks_change_nothing(module: IRModule, made: Staged, sample: dict[str, np.ndarray]) -> None:
    """Marks are exact. Folded constants are rounded to float32 once: 2^-24 each, a few of them on a path."""
    truth = run(module, sample)
    largest = max(float(np.max(np.abs(v), initial=0.0)) for v in truth.values() if isinstance(v, np.ndarray))
    before = [truth[f"output{i}"] for i in range(len(main_graph(module).outputs))]
    for expected, folded, marked in zip(
        before, outputs(made.folded, sample), outputs(made.annotated, sample), strict=True
    ):
        np.testing.assert_allclose(folded, expected, rtol=0, atol=largest * 2.0**-18)
        np.testing.assert_array_equal(marked, folded)


@examples(3)
@given(networks(most=6, layouts=("NCHW",)))
def test_compiled_values_are_those_of_numpy(module: IRModule) -> None:
    """Operator by operator, each on the very operands that the compiled one read, so that nothing adds up.

    Integer operators are exact. Where a float32 position becomes a code, the few roundings on its way move it by at
    most 8 * 2^-24 of itself, and across a tie that is one code more.
    """
    note(str(module))
    samples = samples_for(module)
    made = staged(module, samples)
    tensors = {b.var.name: b for b in main_graph(made.integer).bindings if isinstance(b.var.ty, relax.TensorType)}
    evaluator = Evaluator(made.integer, list(tensors))
    for sample in samples:
        found = evaluator.run(sample)

        def hold(name: str, expected: object, found: dict[str, np.ndarray] = found) -> object:
            if name not in tensors or not isinstance(expected, np.ndarray):
                return expected
            seen, largest = found[name], float(np.max(np.abs(expected), initial=0.0))
            away = float(np.max(np.abs(seen.astype(np.float64) - expected.astype(np.float64)), initial=0.0))
            assert away <= allowed(tensors[name].value, seen, largest), (name, away, largest)
            return seen.astype(np.float64) if seen.dtype.kind == "f" else seen

        run(made.integer, sample, hold)


def allowed(value: relax.Expr, seen: np.ndarray, largest: float) -> float:
    """How far a compiled value may be from numpy's on the same operands."""
    if seen.dtype.kind == "f":
        return FLOAT_ROUNDINGS * 2.0**-24 * largest
    if dialect.is_call(value, "quantize", "requantize", "affine", "lookup"):
        return 1 + 8 * 2.0**-24 * largest
    return 0.0
