"""A rule that spoils a model is found, with the operator where it does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from qdsl.bisect import bisect
from qdsl.cli.main import main
from qdsl.ruleset import RuleSet
from qdsl.session.quantize import quantize

from .conftest import COARSE, SAMPLES


@pytest.mark.parametrize("scan", [True, False])
def test_the_rule_and_the_operator_are_named(model: Path, coarse: RuleSet, scan: bool) -> None:
    found = bisect(model, SAMPLES, 25.0, rules=coarse, scan=scan)
    assert (found.rule, found.operator, found.op) == ("coarse", "act2", "sigmoid")
    assert found.fuel is not None
    assert found.before is not None
    assert found.value < 25.0 <= found.before
    assert found.place is not None
    assert found.place.line == 2
    assert "sqnr falls below 25 dB at application" in found.text()
    assert "--skip 'act2'" in found.text()


def test_the_same_numbers_as_quantize_with_that_fuel(model: Path, coarse: RuleSet) -> None:
    """The compiled integer model after n applications is as far from float as bisect says."""
    found = bisect(model, SAMPLES, 25.0, rules=coarse)
    assert found.fuel is not None
    for fuel in (found.fuel - 1, found.fuel):
        result = quantize(model, SAMPLES, rules=coarse, fuel=fuel)
        assert len(result.plan.firings) == fuel
        (output,) = result.report.outputs
        assert output.sqnr_db == pytest.approx(found.values[fuel], abs=0.5)


def test_nothing_falls(model: Path) -> None:
    found = bisect(model, SAMPLES, 10.0)
    assert not found.fell
    assert found.total >= 7
    assert "not below 10 dB" in found.text()


def test_other_samples_to_measure_on(model: Path, coarse: RuleSet) -> None:
    zeros = {"x0": np.zeros((2, 4, 5, 5), np.float32)}
    assert not bisect(model, SAMPLES, 25.0, rules=coarse, data=zeros).fell, "half is one of the three codes"


def test_the_command(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", **SAMPLES)
    Path("coarse.qrule").write_text(COARSE)
    arguments = ["bisect", str(model), "--calib", "x.npz", "--rules", "coarse.qrule", "--min", "25", "--format", "json"]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    data = json.loads(capsys.readouterr().out)
    assert end.value.code == 1
    assert (data["rule"], data["operator"], data["place"]["file"]) == ("coarse", "act2", "coarse.qrule")
    with pytest.raises(SystemExit) as end:
        main([*arguments[:-2], "--without", "coarse"])
    assert end.value.code == 0
    assert "not below 25 dB" in capsys.readouterr().out
