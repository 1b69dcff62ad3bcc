"""qdsl verify as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qdsl.cli.main import main

from .conftest import SCHEMES

RELU = SCHEMES + "rule relu match y = nn.relu(x) annotate y like x realize y = maximum(x, {bound})\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["verify", *arguments])
    return (int(end.value.code or 0), *capsys.readouterr())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.qrule"


def test_a_sound_rule(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(RELU.format(bound="x.zero"))
    code, out, _ = run(capsys, "relu", str(file), "--graphs", "2")
    assert code == 0
    assert out == "1 rules and folds, 2 graphs, 48 runs: all promises kept\n"


def test_a_broken_rule(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(RELU.format(bound="0"))
    code, out, _ = run(capsys, str(file), "--graphs", "1")
    assert code == 1
    assert "error[Q0306]" in out, "what the checker says"
    column = RELU.splitlines()[-1].index("maximum") + 1
    assert f"{file}:6:{column}: relu: value off by 1 step\n" in out
    assert "result[0, 0, 0, 1]: expected code 131 (0), got code 130 (-0.03125)" in out


def test_as_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(RELU.format(bound="0"))
    code, out, _ = run(capsys, str(file), "--format", "json", "--graphs", "1")
    data = json.loads(out)
    (rule,) = data["rules"]
    assert (code, data["sound"], rule["tried"], data["proofs"]) == (1, False, True, None)
    assert rule["failure"]["promise"] == "value"
    assert rule["failure"]["line"] == 6
    assert rule["failure"]["operands"][0]["format"] == "act scale 0.03125 zero 131"


def test_a_name_that_there_is_not(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(RELU.format(bound="x.zero"))
    code, out, err = run(capsys, "rellu", str(file))
    assert (code, out) == (2, "")
    assert "there is no rule or fold 'rellu'; did you mean 'relu'?" in err


def test_proofs_are_left_out_where_z3_is_not(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "z3", None)
    file.write_text(RELU.format(bound="x.zero"))
    code, out, err = run(capsys, "relu", str(file), "--graphs", "1", "--prove")
    assert code == 0
    assert "nothing was proved: --prove needs z3" in err
    assert "all promises kept" in out
