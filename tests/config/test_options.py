"""Defaults, Relay's defaults, what was chosen, and options that idle."""

import re
from pathlib import Path

import pytest

from qdsl.config import QConfig, describe, describe_one
from qdsl.config.describe import markdown
from qdsl.errors import ConfigError

RELAY = {
    *("nbit_input", "nbit_weight", "nbit_activation", "dtype_input", "dtype_weight", "dtype_activation"),
    *("calibrate_mode", "global_scale", "weight_scale", "skip_conv_layers", "skip_dense_layer", "do_simulation"),
    *("round_for_shift", "store_lowbit_output", "debug_enabled_ops", "rounding", "calibrate_chunk_by"),
    "partition_conversions",
}


def test_every_option_of_relay_keeps_its_name() -> None:
    assert set(QConfig.model_fields) >= RELAY


def test_relays_defaults_are_to_be_had() -> None:
    relay = QConfig.relay()
    assert (relay.nbit_input, relay.nbit_weight, relay.nbit_activation) == (8, 8, 32)
    assert (relay.dtype_input, relay.dtype_weight, relay.dtype_activation) == ("int8", "int8", "int32")
    assert (relay.calibrate_mode, relay.global_scale, relay.weight_scale) == ("global_scale", 8.0, "power2")
    assert (relay.skip_conv_layers, relay.skip_dense_layer) == ((0,), True)
    assert (relay.rounding, relay.round_for_shift, relay.requantize) == ("UPWARD", True, "fixed")
    assert (relay.per_channel, relay.asymmetric, relay.debug_enabled_ops) == (False, False, None)
    assert relay.store_lowbit_output
    assert relay.warnings() == []


def test_relays_percentile_comes_with_its_mode() -> None:
    assert QConfig.relay(calibrate_mode="percentile").percentile == 99.999
    assert QConfig.relay(skip_conv_layers=[]).skip_conv_layers == ()


def test_chosen_are_the_options_that_were_set() -> None:
    assert QConfig().chosen == frozenset()
    assert QConfig(per_channel=True).chosen == {"per_channel"}
    assert QConfig(per_channel=True).replace(percentile=99.0).chosen == {"per_channel", "percentile"}


def test_replace_validates() -> None:
    with pytest.raises(ConfigError, match="percentile"):
        QConfig().replace(percentile=0.0)


def test_lists_may_be_one_value_or_none() -> None:
    config = QConfig(skip_conv_layers=0, skip="stem/*", only=None)
    assert (config.skip_conv_layers, config.skip, config.only) == ((0,), ("stem/*",), ())


@pytest.mark.parametrize(
    ("options", "idle"),
    [
        ({"global_scale": 4.0}, ["global_scale"]),
        ({"global_scale": 4.0, "calibrate_mode": "global_scale"}, []),
        ({"percentile": 99.0, "calibrate_mode": "mse"}, ["percentile"]),
        ({"rounding": "TONEAREST", "round_for_shift": False}, ["rounding", "round_for_shift"]),
        ({"rounding": "TONEAREST", "requantize": "fixed"}, []),
    ],
)
def test_options_without_effect_are_told(options: dict, idle: list[str]) -> None:
    assert [re.match(r"option (\w+) has no effect", text).group(1) for text in QConfig(**options).warnings()] == idle


def test_describe_has_a_full_row_for_every_option() -> None:
    rows = describe()
    assert [row.name for row in rows] == list(QConfig.model_fields)
    assert all(row.meaning and row.valid and row.relay and row.default for row in rows)


def test_describe_one_knows_successors_and_neighbours() -> None:
    assert describe_one("percentile").default == "99.99"
    with pytest.raises(ConfigError, match="now called skip_conv_layers"):
        describe_one("skip_k_conv")
    with pytest.raises(ConfigError, match="did you mean weight_scale"):
        describe_one("weights_scale")


def test_the_page_in_docs_is_what_describe_says() -> None:
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    assert page.read_text(encoding="utf-8") == markdown(), "run `make docs`"
