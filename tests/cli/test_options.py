"""Options that several commands share."""

from pathlib import Path

import pytest

from qdsl.cli.options import options_from, shapes_from
from qdsl.errors import ConfigError


def test_the_command_line_wins_over_the_file_and_lists_add_up(tmp_path: Path) -> None:
    file = tmp_path / "q.toml"
    file.write_text('calibrate_mode = "mse"\nskip = ["a"]\npercentile = 99.0\n')
    config = options_from(file, ["calibrate_mode=percentile"], skip=["b"], without=["relu"])
    assert (config.calibrate_mode, config.percentile) == ("percentile", 99.0)
    assert config.skip == ("a", "b")
    assert config.without == ("relu",)
    assert config.chosen == {"calibrate_mode", "percentile", "skip", "without"}


def test_nothing_asked_for_is_the_default() -> None:
    assert options_from(None).chosen == frozenset()


def test_shapes() -> None:
    assert shapes_from(None) == {}
    assert shapes_from(["x=1,3,8,8", "a=b=4"]) == {"x": (1, 3, 8, 8), "a=b": (4,)}
    assert shapes_from(["x=1x3x8x8"]) == {"x": (1, 3, 8, 8)}


@pytest.mark.parametrize("setting", ["x", "x=", "=1,2", "x=1,?,3", "x=0,3", "x=-1,3", "x=1.5"])
def test_bad_shapes(setting: str) -> None:
    with pytest.raises(ConfigError, match="expected NAME=SIZES"):
        shapes_from([setting])
    with pytest.raises(ConfigError, match="has a shape already"):
        shapes_from(["x=1", "x=2"])
