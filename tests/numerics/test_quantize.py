"""quantize and dequantize against ONNX's own reference, and against what their algebra promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from qdsl import numerics

FORMATS = {
    "int8": {"dtype": "int8", "low": -128, "high": 127},
    "uint8": {"dtype": "uint8", "low": 0, "high": 255},
    "int16": {"dtype": "int16", "low": -32768, "high": 32767},
    "uint16": {"dtype": "uint16", "low": 0, "high": 65535},
}
ELEMENT = {name: getattr(TensorProto, name.upper()) for name in FORMATS}


def onnx_node(op: str, dtype: str, source: int, target: int, axis: int) -> ReferenceEvaluator:
    """A model of one QuantizeLinear or DequantizeLinear: x, scale, zero -> y."""
    tensors = [("x", source), ("scale", TensorProto.FLOAT), ("zero", ELEMENT[dtype])]
    node = helper.make_node(op, [name for name, _ in tensors], ["y"], axis=axis)
    values = [helper.make_tensor_value_info(name, element, None) for name, element in tensors]
    graph = helper.make_graph([node], "one", values, [helper.make_tensor_value_info("y", target, None)])
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]))


def reals() -> np.ndarray:
    """(300, 4, 2): ties, noise over eight decades; nothing beyond the int32 that ONNX's reference passes through."""
    rng = np.random.default_rng(11)
    corners = np.array([0.0, -0.0, 1e-42])
    values = [corners, np.arange(-700, 700) * 0.125, rng.standard_normal(997) * np.logspace(-4, 3, 997)]
    return np.concatenate(values).astype(np.float32).reshape(-1, 4, 2)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("scale", [0.25, 0.3, np.array([0.25, 0.3, 1e-5, 17.0])])
def test_both_are_those_of_onnx(dtype: str, scale: float | np.ndarray) -> None:
    form, x = FORMATS[dtype], reals()
    axis = 1 if np.ndim(scale) else None
    for zero in (0, 3, form["high"], form["low"]):
        inputs = {"scale": np.asarray(scale, np.float32), "zero": np.full(np.shape(scale), zero, dtype)}
        quantized = onnx_node("QuantizeLinear", dtype, TensorProto.FLOAT, ELEMENT[dtype], 1)
        (expected,) = quantized.run(None, {"x": x, **inputs})
        codes = numerics.quantize(x, scale, zero, axis=axis, **form)
        np.testing.assert_array_equal(codes, expected, strict=True)
        dequantized = onnx_node("DequantizeLinear", dtype, ELEMENT[dtype], TensorProto.FLOAT, 1)
        (reals_back,) = dequantized.run(None, {"x": codes, **inputs})
        np.testing.assert_array_equal(numerics.dequantize(codes, scale, zero, axis=axis), reals_back, strict=True)


@given(
    st.sampled_from(sorted(FORMATS)),
    st.floats(2.0**-100, 2.0**100),
    st.integers(0, 255),
    st.lists(st.floats(-1, 1), min_size=1, max_size=20),
)
def test_error_is_half_a_step_inside_the_range(dtype: str, scale: float, zero: int, fractions: list[float]) -> None:
    """|dequantize(quantize(x)) - x| <= scale / 2, plus the two float32 roundings of |x|, for x inside the range."""
    form = FORMATS[dtype]
    zero = min(zero, form["high"])
    step = float(np.float32(scale))
    reach = np.where(np.array(fractions) < 0, zero - form["low"], form["high"] - zero) * step
    x = (np.array(fractions) * reach).astype(np.float32)
    back = numerics.dequantize(numerics.quantize(x, scale, zero, **form), scale, zero)
    allowed = step / 2 + 4 * 2.0**-24 * np.abs(x.astype(np.float64))
    assert np.all(np.abs(back.astype(np.float64) - x) <= allowed)


@given(st.sampled_from(sorted(FORMATS)), st.floats(2.0**-100, 2.0**100), st.integers(0, 255))
def test_zero_is_exact_and_codes_are_their_own_quantization(dtype: str, scale: float, zero: int) -> None:
    form = FORMATS[dtype]
    zero = min(zero, form["high"])
    assert numerics.quantize(np.float32(0), scale, zero, **form) == zero
    assert numerics.dequantize(np.array(zero, dtype), scale, zero) == 0
    codes = np.unique(np.linspace(form["low"], form["high"], 257).astype(dtype))
    again = numerics.quantize(numerics.dequantize(codes, scale, zero), scale, zero, **form)
    np.testing.assert_array_equal(again, codes)


def test_simulated_is_the_composition() -> None:
    x, scale = reals(), np.array([0.25, 0.3, 1e-5, 17.0])
    for form in FORMATS.values():
        codes = numerics.quantize(x, scale, 3, axis=1, **form)
        expected = numerics.dequantize(codes, scale, 3, axis=1)
        np.testing.assert_array_equal(numerics.simulated_quantize(x, scale, 3, axis=1, **form), expected, strict=True)


def test_infinite_and_missing_values_saturate() -> None:
    x = np.array([np.inf, -np.inf, 3e38, -3e38, np.nan], np.float32)
    assert numerics.quantize(x, 1e-3, 5, **FORMATS["int8"]).tolist() == [127, -128, 127, -128, 127]


def test_int32_saturates_at_the_greatest_float_inside() -> None:
    form = {"dtype": "int32", "low": -(2**31), "high": 2**31 - 1}
    codes = numerics.quantize(np.array([3e9, -3e9, np.inf, -np.inf], np.float32), 1.0, 0, **form)
    assert codes.tolist() == [2**31 - 128, -(2**31), 2**31 - 128, -(2**31)]


def test_scales_are_positive_and_finite() -> None:
    for bad in (0.0, -1.0, np.inf, np.nan, 1e39):
        with pytest.raises(ValueError, match="positive and finite"):
            numerics.quantize(np.zeros(1, np.float32), bad, 0, **FORMATS["int8"])


def test_a_lookup_table_is_the_exact_composition() -> None:
    """tabulate against dequantize, f, quantize in float64, for both 8-bit dtypes."""
    for dtype, zero in (("int8", -3), ("uint8", 120)):
        table = numerics.tabulate(
            np.tanh, dtype_in=dtype, scale_in=0.03, zero_in=zero, scale_out=1 / 127, zero_out=1, **FORMATS["int8"]
        )
        codes = numerics.positions(dtype).astype(dtype)
        expected = np.clip(np.rint(np.tanh((codes.astype(float) - zero) * 0.03) * 127) + 1, -128, 127)
        np.testing.assert_array_equal(numerics.lookup(codes, table), expected)
        assert numerics.lookup(np.array(zero, dtype), table) == 1


def test_a_table_of_a_function_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number at -12"):
        numerics.tabulate(
            np.sqrt, dtype_in="int8", scale_in=0.1, zero_in=0, scale_out=1.0, zero_out=0, **FORMATS["int8"]
        )
