"""Rules that are right: the stock rules, the presets, and every file of good/. Adding a case is adding a rule there."""

from pathlib import Path

import pytest

from qdsl.check.types import check_types
from qdsl.lang.program import load_program
from qdsl.lang.render import render
from qdsl.lang.stock import preset_paths, stock_paths

GOOD = sorted((Path(__file__).parent / "good").glob("*.qrule"))


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_types_without_a_finding(path: Path) -> None:
    program = load_program([path])
    assert program.diagnostics == []
    assert render(check_types(program)) == ""


def test_stock_rules_type_without_a_finding() -> None:
    program = load_program(stock_paths())
    assert len(program.rules) > 20
    assert render(check_types(program)) == ""


@pytest.mark.parametrize("path", preset_paths().values(), ids=lambda p: p.stem)
def test_presets_type_without_a_finding(path: Path) -> None:
    assert render(check_types(load_program([path]))) == ""
