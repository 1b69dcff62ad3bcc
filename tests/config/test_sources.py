"""Options from TOML files and from KEY=VALUE settings."""

from pathlib import Path

import pytest

from qdsl.config import QConfig, from_toml, with_settings
from qdsl.errors import ConfigError


def test_toml(tmp_path: Path) -> None:
    file = tmp_path / "q.toml"
    file.write_text('calibrate_mode = "percentile"\npercentile = 99.9\nskip_conv_layers = [0, 3]\n')
    assert from_toml(file) == QConfig(calibrate_mode="percentile", percentile=99.9, skip_conv_layers=(0, 3))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"percentile = 0\n", "option percentile = 0 is not valid"),
        (b"skip_k_conv = [0]\n", "now called skip_conv_layers"),
        (b"percentile = \n", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"#" * (2 << 20), "larger than 1 MiB"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "q.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as refusal:
        from_toml(file)
    assert str(refusal.value).startswith(f"{file}: ")
    assert words in str(refusal.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        from_toml(tmp_path / "q.toml")
    with pytest.raises(ConfigError, match="is a folder"):
        from_toml(tmp_path)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (["calibrate_mode=mse"], {"calibrate_mode": "mse"}),
        (["percentile = 99.9", "calibrate_mode=percentile"], {"percentile": 99.9, "calibrate_mode": "percentile"}),
        (["skip_conv_layers=0,1"], {"skip_conv_layers": (0, 1)}),
        (["skip_conv_layers=[]"], {"skip_conv_layers": ()}),
        (["skip=[stem/*, nn.conv2d]"], {"skip": ("stem/*", "nn.conv2d")}),
        (['skip="a=b"'], {"skip": ("a=b",)}),
        (["per_channel=false", "asymmetric=False"], {"per_channel": False, "asymmetric": False}),
        (["debug_enabled_ops=none"], {"debug_enabled_ops": None}),
    ],
)
def test_settings(settings: list[str], options: dict) -> None:
    assert with_settings(settings) == QConfig(**options)


def test_settings_win_over_what_they_stand_on() -> None:
    base = QConfig(percentile=99.0, calibrate_mode="percentile")
    assert with_settings(["percentile=98.0"], base).percentile == 98.0
    assert with_settings(["percentile=98.0"], base).calibrate_mode == "percentile"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["percentile"], "expected KEY=VALUE"),
        (["=3"], "expected KEY=VALUE"),
        (["percentile=99", "percentile=98"], "set twice"),
        (["percentil=99"], "did you mean percentile?"),
        (["percentile=abc"], "option percentile = 'abc' is not valid"),
    ],
)
def test_bad_settings(settings: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        with_settings(settings)
    assert str(refusal.value).startswith("--set")
    assert words in str(refusal.value)
