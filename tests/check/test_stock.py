"""The stock rules are clean, and checking is fast."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from qdsl.check import check
from qdsl.lang.program import load_program, load_text
from qdsl.lang.stock import stock_paths
from qdsl.ruleset import read_rules

RULES = Path(__file__).parents[2] / "rules"


def test_stock_rules_have_no_errors() -> None:
    found = check(load_program(stock_paths()))
    assert [f"{d.primary.span}: {d.code} {d.message}" for d in found if d.is_error] == []


@pytest.mark.parametrize("path", sorted(RULES.glob("presets/*.qrule")), ids=lambda p: p.name)
def test_presets_have_no_errors_before_the_stock_rules(path: Path) -> None:
    assert [d.code for d in read_rules(path).check() if d.is_error] == []


@pytest.mark.parametrize("path", stock_paths(), ids=lambda p: p.name)
def test_every_stock_file_can_be_checked_by_itself(path: Path) -> None:
    found = check(load_program([path]))
    # A rule that overrides one of another file cannot be checked without that file.
    assert [d.code for d in found if d.is_error and d.code != "Q0405"] == []


def many_rules(count: int) -> str:
    """Rules of a dozen lines over several operators, told apart by an attribute in the match or in the guard."""
    rules = ["scheme act = uint8 asymmetric per_tensor"]
    for index in range(count):
        pool = f"nn.max_pool{index % 3 + 1}d"
        written = f", dilation=[{index}, {index}]" if index % 2 else ""
        asked = "" if index % 2 else f" and y.dilation == [{index}, {index}]"
        rules.append(
            f"rule r{index}\n"
            f'    "One of many."\n'
            f"    match     y = {pool}(x{written})\n"
            f"    when      wanted(y){asked}\n"
            f"    annotate  x as act\n"
            f"              y like x\n"
            f"    realize   y = {pool}(x, **y)\n"
            f"\n"
            f'test r{index} "fires"\n'
            f"    given     x: float32[1, 8, 8, 8]\n"
            f"              y = {pool}(x)\n"
            f"    expect    fires\n"
        )
    return "\n".join(rules)


def seconds(text: str) -> float:
    program = load_text(text)
    start = time.process_time()
    assert check(program) == []
    return time.process_time() - start


def test_five_thousand_lines_are_checked_in_two_seconds() -> None:
    text = many_rules(410)
    assert text.count("\n") > 4_900
    assert seconds(text) < 2.0
