"""cases/NAME.qrule, formatted, is cases/NAME.formatted; run with QDSL_ACCEPT=1 to write those, and read them."""

import os
from pathlib import Path

import pytest

from qdsl.lang.format import format_text
from qdsl.lang.stock import preset_paths, stock_paths

CASES = sorted(Path(__file__).parent.glob("cases/*.qrule"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case: Path) -> None:
    done = format_text(case.read_bytes().decode("utf-8"), case.name)
    assert done.text is not None, done.diagnostics
    expected = case.with_suffix(".formatted")
    if os.environ.get("QDSL_ACCEPT"):
        expected.write_text(done.text, encoding="utf-8", newline="")
    assert done.text.encode() == expected.read_bytes()


def test_every_expectation_has_a_case() -> None:
    assert {p.stem for p in CASES} == {p.stem for p in Path(__file__).parent.glob("cases/*.formatted")}


@pytest.mark.parametrize("text", ["", "\n\n", "  # only\n\n\n\n# these\n"])
def test_files_without_items(text: str) -> None:
    assert format_text(text).text == ("# only\n\n# these\n" if text.strip() else "")


def test_the_stock_rules_are_in_our_style() -> None:
    for path in [*stock_paths(), *preset_paths().values()]:
        text = path.read_text(encoding="utf-8")
        assert format_text(text, path.name).text == text, f"run `qdsl fmt {path}`"
