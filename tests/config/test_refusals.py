"""Unknown options and bad values are refused on entry, in words that say what to write instead."""

import pytest

from qdsl.config import QConfig
from qdsl.errors import ConfigError

REFUSED = [
    ({"skip_k_conv": [0]}, "option skip_k_conv is now called skip_conv_layers"),
    ({"use_stop_fusion": True}, "option use_stop_fusion is gone"),
    ({"nbit_inputs": 8}, "did you mean nbit_input?"),
    ({"zzz": 8}, "`qdsl config` lists the options"),
    ({"calibrate_mode": "entropi"}, "did you mean entropy?"),
    ({"calibrate_mode": "kl"}, "it takes minmax, percentile, mse, entropy, kl_divergence, global_scale"),
    ({"nbit_input": 1}, "option nbit_input = 1 is not valid"),
    ({"nbit_input": "8"}, "option nbit_input = '8' is not valid"),
    ({"nbit_input": 8.0}, "option nbit_input = 8.0 is not valid"),
    ({"nbit_input": 9}, "uint8 holds 8 bits"),
    ({"nbit_weight": 8, "dtype_weight": "int4"}, "int4 holds 4 bits"),
    ({"dtype_weight": "uint8"}, "it takes int8, int4, int16"),
    ({"dtype_activation": "int16"}, "it takes int32"),
    ({"nbit_activation": 33}, "16 to 32"),
    ({"dtype_input": "int16", "nbit_input": 16, "nbit_activation": 20}, "needs 24 bits"),
    ({"global_scale": 0.0}, "above 0"),
    ({"global_scale": float("nan")}, "above 0"),
    ({"global_scale": float("inf")}, "above 0"),
    ({"percentile": 101}, "above 50, up to 100"),
    ({"percentile": True}, "above 50, up to 100"),
    ({"weight_scale": "power_2"}, "did you mean power2?"),
    ({"skip_conv_layers": [-1]}, "a list of indices from 0"),
    ({"skip_conv_layers": ["conv1"]}, "a list of indices from 0"),
    ({"skip": [""]}, "a list of patterns"),
    ({"rounding": "upward"}, "UPWARD, TONEAREST"),
    ({"requantize": "q31"}, "float, fixed"),
    ({"calibrate_chunk_by": 0}, "a pass must observe something"),
    ({"calibrate_chunk_by": -2}, "-1 (all of them)"),
    ({"partition_conversions": True}, "disabled, enabled, fully_integral"),
    ({"per_channel": "yes"}, "true, false"),
    ({"only": ["relu"], "without": ["relu"]}, "both options only and without"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused(options: dict, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        QConfig(**options)
    assert words in str(refusal.value)


def test_every_bad_option_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as refusal:
        QConfig(nbit_input=1, percentile=0)
    assert "nbit_input" in str(refusal.value)
    assert "percentile" in str(refusal.value)


def test_the_pydantic_doors_refuse_in_the_same_words() -> None:
    with pytest.raises(ConfigError, match="skip_conv_layers"):
        QConfig.model_validate({"skip_k_conv": [0]})


def test_unknown_operator_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no Relax operator is called 'nn\.conv2'; did you mean nn\.conv2d"):
        QConfig(debug_enabled_ops=["nn.conv2"])
    assert QConfig(debug_enabled_ops=["relax.nn.conv2d"]).debug_enabled_ops == ("nn.conv2d",)


def test_frozen() -> None:
    with pytest.raises(ConfigError, match=r"use config\.replace\(percentile=99\.0\)"):
        QConfig().percentile = 99.0
