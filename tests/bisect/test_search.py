"""The search itself, and metrics by command."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from qdsl.bisect.metric import command_metric, metric_of, sqnr, stacked
from qdsl.bisect.search import Search
from qdsl.errors import ConfigError


@pytest.mark.parametrize("fall", [1, 2, 37, 99, 100])
def test_one_fall_is_found_by_halves(fall: int) -> None:
    search = Search(lambda count: 10.0 if count < fall else 1.0, 5.0)
    assert search.bisect(100) == search.scan(100) == fall
    halves = Search(search.value_at, 5.0)
    halves.bisect(100)
    assert len(halves.values) <= 9


def test_nothing_falls() -> None:
    assert Search(lambda count: 9.0, 5.0).bisect(50) is None
    assert Search(lambda count: 9.0, 5.0).scan(50) is None


def test_float_is_below_already() -> None:
    assert Search(lambda count: 1.0, 5.0).bisect(50) == 0


def test_a_scan_finds_the_first_dip() -> None:
    search = Search(lambda count: 1.0 if count in (3, 40, 41, 50) else 9.0, 5.0)
    assert search.scan(50) == 3
    found = search.bisect(50)
    assert found in (3, 40, 50), "halves find one of them"


def test_not_a_number_is_a_fall() -> None:
    assert Search(lambda count: float("nan") if count > 2 else 9.0, 5.0).bisect(8) == 3


def test_sqnr_is_that_of_the_worst_output() -> None:
    truth = {"a": np.ones(10, np.float32), "b": np.ones(10, np.float32)}
    made = {"a": truth["a"] * 1.1, "b": truth["b"] * 1.01}
    assert sqnr([truth], [made]) == pytest.approx(20.0, abs=1e-3)
    assert sqnr([truth], [truth]) == float("inf")
    assert metric_of("sqnr") is sqnr


def test_a_command_gets_all_outputs_and_its_last_number_counts(tmp_path: Path) -> None:
    script = tmp_path / "metric.py"
    script.write_text(
        "import sys, numpy as np\n"
        "y = np.load(sys.argv[2])['y']\n"
        "print('of', len(y), 'samples:', sys.argv[1], float(y.mean()))\n"
    )
    values = [{"y": np.full((2, 3), v, np.float32)} for v in (1.0, 2.0)]
    assert stacked(values)["y"].shape == (4, 3)
    assert command_metric(f"{sys.executable} {script} mean")([], values) == 1.5


@pytest.mark.parametrize(
    ("command", "words"), [("echo no digits; true", "printed no number"), ("echo oh >&2; false", "ended with 1: oh")]
)
def test_a_command_that_fails_is_told(command: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        command_metric(command + " #")([], [{"y": np.ones(1)}])
