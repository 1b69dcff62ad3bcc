"""The stock rules and the presets: they pass the checker, and their own tests pass and reach all of them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from qdsl.lang import tree
from qdsl.lang.render import render
from qdsl.lang.stock import preset_paths, stock_paths
from qdsl.ruleset import RuleSet, load_rules
from qdsl.ruletest.coverage import Coverage
from qdsl.ruletest.run import TestCase, run_test

STOCK = sorted(path.name for path in stock_paths())
PRESETS = sorted(preset_paths())


@lru_cache(maxsize=1)
def stock() -> RuleSet:
    return load_rules()


def run_file(rules: RuleSet, path: Path, coverage: Coverage) -> list[TestCase]:
    """The test items of one file, run."""
    items = [i for i in rules.own.tests if Path(i.span.path).resolve() == path.resolve()]
    return [run_test(rules, item, coverage) for item in items]


def failures(cases: list[TestCase]) -> str:
    return "\n".join(f"{c.span}: {c.rule}: {c.title}: {c.message}\n{c.detail}" for c in cases if not c.passed)


def gaps(rules: RuleSet, path: Path, coverage: Coverage) -> str:
    """What the tests of a file do not reach of its rules and folds."""
    items = [i for i in rules.own.items if isinstance(i, tree.Rule | tree.Fold)]
    names = {i.name for i in items if Path(i.span.path).resolve() == path.resolve()}
    findings = coverage.of(rules, names).findings()
    return render([f for f in findings if f.severity == "warning"], format="concise")


def test_the_checker_has_no_error_and_no_warning_about_the_stock_rules() -> None:
    assert render([d for d in stock().check() if d.severity != "note"]) == ""


@pytest.mark.parametrize("name", STOCK)
def test_tests_of_stock_rules(name: str) -> None:
    path = next(p for p in stock_paths() if p.name == name)
    coverage = Coverage()
    cases = run_file(stock(), path, coverage)
    assert not failures(cases)
    assert not gaps(stock(), path, coverage)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    path = preset_paths()[name]
    rules = load_rules(path)
    assert render([d for d in rules.check() if d.severity != "note"]) == ""
    coverage = Coverage()
    cases = run_file(rules, path, coverage)
    assert not failures(cases)
    assert not gaps(rules, path, coverage)
