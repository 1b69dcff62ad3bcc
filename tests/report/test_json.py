"""report.json: the keys that others build on, no NaN, and the way back."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qdsl.errors import DataError
from qdsl.report import Output, Report, Row


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_the_keys_that_others_build_on(report: Report) -> None:
    data = json.loads(report.to_json())
    assert data["qdsl"]
    assert data["model"] == "sample"
    assert data["summary"] == {
        **{"quantized": 2, "float": 1, "skipped": 1, "folded": 1},
        **{"quantize_ops": 1, "requantize_ops": 2, "dequantize_ops": 1},
    }
    keys = "name op outcome rule reason scheme bits scale zero_point sqnr_db sqnr_alone_db time_us"
    assert all(list(node) == keys.split() for node in data["nodes"])
    assert [list(output) for output in data["outputs"]] == [["name", "sqnr_db", "cosine", "max_abs_error"]] * 2
    assert data["timings_s"]["calibrate"] == 2.0
    assert data["peak_rss_mb"] == 321.5
    assert data["provenance"]["sha256"]["model"] == "ab"


def test_round_trip(report: Report) -> None:
    assert Report.from_json(report.to_json()) == report


def test_round_trip_through_a_file(report: Report, tmp_path: Path) -> None:
    text = report.to_json(tmp_path / "report.json")
    assert (tmp_path / "report.json").read_text() == text
    assert Report.from_json(tmp_path / "report.json") == report


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), np.float32("nan")])
def test_what_is_not_finite_is_null(report: Report, bad: float) -> None:
    row = Row("x", "add", "quantized", scale=(1.0, bad), sqnr_db=bad, time_us=bad)
    odd = replace(report, rows=(row,), outputs=(Output("y", bad, bad, bad),), timings_s={"load": bad}, peak_rss_mb=bad)
    data = json.loads(odd.to_json(), parse_constant=refuse)
    assert data["nodes"][0]["sqnr_db"] is None
    assert data["nodes"][0]["scale"] == [1.0, None]
    assert data["outputs"][0]["max_abs_error"] is None
    assert data["timings_s"]["load"] is None


def test_numpy_numbers_become_plain(report: Report) -> None:
    data = json.loads(report.to_json())
    assert data["nodes"][0]["scale"] == [0.5, 2.0]
    assert data["nodes"][4]["scale"] == 0.25
    assert data["nodes"][4]["zero_point"] == 128


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a report of qdsl"),
        ("[]", "lacks the keys"),
        ('{"qdsl": "0", "model": "m", "nodes": [{}]}', "lacks name, op, outcome"),
        ('{"qdsl": "0", "model": "m", "nodes": [{"name": "a", "op": "b", "outcome": "lost"}]}', "'lost' is none of"),
        ('{"qdsl": "0", "model": "m", "nodes": [{"nome": "a"}]}', "unknown field 'nome'"),
        ('{"qdsl": "0", "model": "m", "nodes": [3]}', "expected a row"),
    ],
)
def test_what_is_no_report(text: str, words: str) -> None:
    with pytest.raises(DataError, match="not a report of qdsl") as refusal:
        Report.from_json(text)
    assert words in str(refusal.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"report\.json: cannot be read"):
        Report.from_json(tmp_path / "report.json")


def test_a_row_by_name(report: Report) -> None:
    assert report.row("fc").outcome == "skipped"
    with pytest.raises(DataError, match="did you mean 'conv1'"):
        report.row("conv")
