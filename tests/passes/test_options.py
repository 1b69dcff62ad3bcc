"""Every option of a configuration has an effect that can be seen in a module or in its numbers."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
from tvm import IRModule, relax

from qdsl import dialect, transform
from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.match.graph import array_of, is_constant
from qdsl.passes.rebuild import main_graph
from qdsl.session import stages

from ..match.net import Net, nn, operators
from .interpreter import outputs, run
from .staged import Staged, samples_for, staged, stock


def network() -> IRModule:
    """conv -> norm -> relu -> conv + the conv's own input -> mean -> dense."""
    net = Net()
    x = net.input(1, 3, 8, 8)
    r = net.emit(nn.relu(net.batch_norm(net.conv(x, 6, 3, "stem"), "norm")), "relu")
    a = net.emit(relax.op.add(net.conv(r, 6, 3, "body"), r), "add")
    flat = net.emit(relax.op.mean(net.emit(nn.relu(a), "relu2"), [2, 3]), "mean")
    dense = net.emit(relax.op.matmul(flat, net.const(6, 4)), "dense")
    return net.module(net.emit(relax.op.add(dense, net.const(4)), "bias"))


MODULE = network()
SAMPLES = samples_for(MODULE, 4)


def made(**options: object) -> Staged:
    return staged(MODULE, SAMPLES, QConfig(**options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def default() -> Staged:
    return made()


def formats(module: IRModule, scheme: str) -> set[tuple[str, int, int]]:
    """(dtype, low, high) of every conversion into a scheme."""
    calls = [b.value for b in main_graph(module).bindings if dialect.is_call(b.value, "simulated_quantize")]
    attrs = [dialect.attributes(c) for c in calls]
    return {(str(a["dtype"]), int(a["low"]), int(a["high"])) for a in attrs if a["scheme"] == scheme}


def rules_used(result: Staged) -> set[str]:
    return {d.rule for d in result.decided.plan.decisions if d.rule is not None}


def test_nbit_input_and_dtype_input(default: Staged) -> None:
    assert formats(default.simulated, "act") == {("uint8", 0, 255)}
    assert formats(made(nbit_input=6).simulated, "act") == {("uint8", 0, 63)}
    assert formats(made(dtype_input="int8").simulated, "act") == {("int8", -128, 127)}
    assert formats(made(dtype_input="int16", nbit_input=12).simulated, "act") == {("int16", -2048, 2047)}
    assert formats(made(dtype_input="uint4", nbit_input=4).simulated, "act") == {("uint4", 0, 15)}


def test_nbit_weight_and_dtype_weight(default: Staged) -> None:
    assert formats(default.simulated, "weight") == {("int8", -127, 127)}
    assert formats(made(nbit_weight=5).simulated, "weight") == {("int8", -15, 15)}
    assert formats(made(dtype_weight="int4", nbit_weight=4).simulated, "weight") == {("int4", -7, 7)}


def test_nbit_activation() -> None:
    """Fewer bits: less room for sums (see test_headroom) and for biases (see test_bias)."""
    narrow = made(nbit_activation=16)
    assert narrow.rule_at("body") is None
    assert "an accumulator of 16 bits" in narrow.decision("body").reason


def test_dtype_activation() -> None:
    with pytest.raises(ConfigError, match="dtype_activation"):
        QConfig(dtype_activation="int16")


def test_per_channel(default: Staged) -> None:
    assert default.numbers.scale["stem.w.weight[0]"].shape == (6,)
    assert made(per_channel=False).numbers.scale["stem.w.weight"].shape == ()


def test_asymmetric(default: Staged) -> None:
    assert default.numbers.zero["x.act"] not in (0, 128)
    calls = [b.value for b in main_graph(made(asymmetric=False).simulated).bindings if dialect.is_call(b.value)]
    assert {int(dialect.attributes(c)["zero"]) for c in calls if dialect.attributes(c)["scheme"] == "act"} == {128}


@pytest.mark.parametrize("mode", ["percentile", "mse", "entropy", "kl_divergence", "global_scale"])
def test_calibrate_mode(default: Staged, mode: str) -> None:
    scale, other = default.numbers.scale, made(calibrate_mode=mode, percentile=95.0).numbers.scale
    assert any(scale[s] != other[s] for s in scale if s.endswith(".act"))


def test_percentile_and_global_scale() -> None:
    few, many = (made(calibrate_mode="percentile", percentile=p).numbers.scale["x.act"] for p in (90.0, 99.0))
    assert few < many
    small, large = (made(calibrate_mode="global_scale", global_scale=s).numbers.scale["x.act"] for s in (4.0, 8.0))
    assert large == pytest.approx(2 * float(small))


def test_weight_scale(default: Staged) -> None:
    power = made(weight_scale="power2").numbers.scale["stem.w.weight[0]"]
    largest = default.numbers.scale["stem.w.weight[0]"]
    assert np.all(power >= largest)
    assert np.all(power < 2 * largest * 1.01)


def test_calibrate_chunk_by() -> None:
    """As many passes over the samples as it takes, and the same numbers."""

    class Counted:
        passes = 0

        def __iter__(self) -> object:
            Counted.passes += 1
            return iter(SAMPLES)

    annotated = stages.annotate(MODULE, stock(), QConfig(fold_batch_norm=False)).module
    values = len(transform.values_to_observe(annotated))
    once, _ = transform.calibrate_module(annotated, SAMPLES, QConfig())
    half, calibration = transform.calibrate_module(annotated, Counted(), QConfig(calibrate_chunk_by=-(-values // 2)))
    assert Counted.passes >= 2
    assert calibration.samples == len(SAMPLES)
    for a, b in zip(outputs(once, SAMPLES[0]), outputs(half, SAMPLES[0]), strict=True):
        np.testing.assert_array_equal(a, b)
    one_shot, _ = transform.calibrate_module(annotated, (s for s in SAMPLES), QConfig(calibrate_chunk_by=values - 1))
    np.testing.assert_array_equal(outputs(one_shot, SAMPLES[0])[0], outputs(once, SAMPLES[0])[0])


def test_skips() -> None:
    """More in test_skips."""
    assert made(skip_conv_layers=(0,)).decision("stem").outcome == "skipped"
    assert made(skip_dense_layer=True).decision("dense").outcome == "skipped"
    assert made(skip=("mean",)).decision("mean").outcome == "skipped"


def test_debug_enabled_ops() -> None:
    only = made(debug_enabled_ops=("nn.conv2d",))
    assert rules_used(only) == {"convolution"}
    assert rules_used(made(debug_enabled_ops=())) == set()


def test_only_and_without(default: Staged) -> None:
    assert rules_used(made(only=("convolution", "bias_add"))) == {"convolution", "bias_add"}
    assert "relu" in rules_used(default)
    assert "relu" not in rules_used(made(without=("relu",)))
    assert "nn.batch_norm" in operators(made(without=("batch_norm_into_conv",)).folded)
    with pytest.raises(ConfigError, match="there is no rule 'convolutoin'; did you mean 'convolution'"):
        made(only=("convolutoin",))


def test_fold_batch_norm(default: Staged) -> None:
    assert "nn.batch_norm" not in operators(default.folded)
    assert "nn.batch_norm" in operators(made(fold_batch_norm=False).folded)


def test_requantize_rounding_and_round_for_shift(default: Staged) -> None:
    def requantizes(**options: object) -> list[dict[str, object]]:
        calls = [
            b.value for b in main_graph(made(**options).integer).bindings if dialect.is_call(b.value, "requantize")
        ]
        return [dialect.attributes(c) for c in calls]

    assert {a["mode"] for a in requantizes()} == {"float"}
    fixed = requantizes(requantize="fixed")
    assert {(a["mode"], a["rounding"], a["round_for_shift"]) for a in fixed} == {("fixed", "UPWARD", True)}
    other = requantizes(requantize="fixed", rounding="TONEAREST", round_for_shift=False)
    assert {(a["rounding"], a["round_for_shift"]) for a in other} == {("TONEAREST", False)}
    assert_within_a_code(default, made(requantize="fixed"))


def assert_within_a_code(default: Staged, other: Staged) -> None:
    """Each requantize on the operands of the default module: halves may go another way, and 31 bits are not 24."""
    truth = run(default.integer, SAMPLES[0])
    requantized = {b.var.name for b in main_graph(other.integer).bindings if dialect.is_call(b.value, "requantize")}
    assert requantized
    seen: set[str] = set()

    def hold(name: str, value: object) -> object:
        if name in requantized:
            seen.add(name)
            wide = np.max(np.abs(truth[name])) * 2.0**-22 if truth[name].dtype == np.int32 else 0.0
            assert np.max(np.abs(np.asarray(value, np.int64) - truth[name].astype(np.int64))) <= 1 + wide, name
        return truth[name]

    run(other.integer, SAMPLES[0], hold)
    assert seen == requantized


def test_store_lowbit_output(default: Staged) -> None:
    def read_by_dequantize(result: Staged) -> str:
        graph = main_graph(result.integer)
        (call,) = [b.value for b in graph.bindings if dialect.is_call(b.value, "dequantize")]
        return str(call.args[0].ty.dtype)

    assert read_by_dequantize(default) == "int32"
    assert read_by_dequantize(made(store_lowbit_output=True)) == "uint8"


def test_do_simulation() -> None:
    """Calibrated but not realized: float with the rounding of integers."""
    passes = transform.Quantize(SAMPLES, config=QConfig(do_simulation=True, fold_batch_norm=False))
    simulated = passes(MODULE)
    calls = [b.value for b in main_graph(simulated).bindings]
    assert any(dialect.is_call(c, "simulated_quantize") and dialect.scale_of(c) is not None for c in calls)
    assert not any(dialect.is_call(c, "quantize") for c in calls)


def test_partition_conversions() -> None:
    """More in test_partition."""
    assert len(made(partition_conversions="fully_integral").integer.get_global_vars()) == 4


def test_every_option_is_spoken_of_here() -> None:
    source = inspect.getsource(sys.modules[__name__])
    assert [name for name in QConfig.model_fields if name not in source] == []


def test_defaults_are_those_of_no_options_at_all(default: Staged) -> None:
    weights = [a for b in main_graph(default.integer).bindings for a in getattr(b.value, "args", ()) if is_constant(a)]
    assert any(array_of(a).dtype == np.int8 for a in weights)
    assert not QConfig().chosen
