"""Every code that qdsl prints has a page, whose example shows the finding and whose mended example does not."""

import importlib
import json
import re
from pathlib import Path

import pytest

from qdsl.check.codes import codes, page
from qdsl.check.codes.page import read_page
from qdsl.ruleset import load_rules
from qdsl.ruletest.coverage import Coverage
from qdsl.ruletest.run import run_tests

ROOT = Path(__file__).parents[2]
BAD = ROOT / "tests" / "bad"
OF_OTHERS = {"Q0408": "qdsl test --coverage", "Q0409": "a model"}
"""Codes that the checker does not report, and what does."""
generate = importlib.import_module("qdsl.check.codes.__main__")


def test_every_code_in_the_source_has_a_page() -> None:
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "qdsl").rglob("*.py")]
    # A code that something is compared with is a bound, not a finding.
    code = re.compile(r"(?<!< )(?<!<= )(?<!> )(?<!>= )[\"'(](Q\d{4})[\"')]")
    printed = {found for text in sources for found in code.findall(text)}
    assert printed == set(codes()), "write qdsl/check/codes/CODE.md, and run `make docs`"


@pytest.mark.parametrize("code", codes())
def test_the_page_speaks_of_its_code(code: str) -> None:
    one = page(code)
    assert one.code == code
    assert one.title[0].islower() or one.title[0] == "`"
    assert not one.title.endswith(".")
    assert one.why.endswith((".", ".)"))
    assert one.mend.endswith(".")
    assert all(len(line) <= 120 for line in one.markdown.split("```")[0].splitlines())


@pytest.mark.parametrize("code", [code for code in codes() if code not in OF_OTHERS])
def test_the_example_is_one_of_those_held_in_tests_bad(code: str) -> None:
    """tests/bad holds that the example reports exactly the message."""
    one = page(code)
    assert one.source.startswith(f"tests/bad/{code}_"), f"{code} has its example from {one.source}"
    example = ROOT / one.source
    assert one.example.rstrip("\n") == example.read_text(encoding="utf-8").rstrip("\n"), "run `make docs`"
    said = example.with_suffix(".expected").read_text(encoding="utf-8")
    assert one.message.rstrip("\n") == said.rstrip("\n"), "run `make docs`"
    assert set(re.findall(r"^\w+\[(Q\d{4})\]", one.message, re.MULTILINE)) == {code}


@pytest.mark.parametrize("code", [code for code in codes() if page(code).mended])
def test_the_mended_example_is_mended(code: str, tmp_path: Path) -> None:
    mended = page(code).mended
    assert mended is not None
    file = tmp_path / f"{code}_mended.qrule"
    file.write_text(mended, encoding="utf-8")
    found = load_rules(file).check()
    said = [f"{d.code}: {d.message}" for d in found if d.is_error or d.severity == "warning" or d.code == code]
    # An example is short; its rules have no tests, unless it is about tests.
    assert [text for text in said if code == "Q0407" or not text.startswith("Q0407")] == []


def test_what_only_tests_find(tmp_path: Path) -> None:
    file = tmp_path / "Q0408_example.qrule"
    one = page("Q0408")
    reported = []
    for text in (one.example, one.mended):
        assert text is not None
        file.write_text(text, encoding="utf-8")
        rules, coverage = load_rules(file), Coverage()
        assert run_tests(rules, coverage=coverage).passed
        reported.append(coverage.of(rules).findings())
    assert [finding.message for finding in reported[0]] == [one.message.splitlines()[0].split(": ", 1)[1]]
    assert reported[1] == []


def test_the_pages_in_docs_are_the_pages() -> None:
    docs = ROOT / "docs" / "codes"
    assert {file.stem for file in docs.glob("*.md")} == set(codes()), "run `make docs`"
    for code in codes():
        assert (docs / f"{code}.md").read_text(encoding="utf-8") == page(code).markdown, "run `make docs`"
    index = "\n".join(generate.index([page(code) for code in codes()])) + "\n"
    assert (docs.parent / "codes.md").read_text(encoding="utf-8") == index, "run `make docs`"


def test_a_page_without_its_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="other parts"):
        read_page("# Q0001: syntax error\n\nWhy.\n")


@pytest.mark.parametrize("code", ["Q0302", "q0302"])
def test_explain(qdsl, code: str) -> None:
    done = qdsl("explain", code)
    assert done.returncode == 0
    assert done.stdout.startswith("Q0302: a tuple is marked or quantized\n\nAn operator with several")
    assert "\n    error[Q0302]: nn.batch_norm returns a tuple" in done.stdout
    assert "```" not in done.stdout
    assert "<!--" not in done.stdout
    assert json.loads(qdsl("explain", code, "--format", "json").stdout)["code"] == "Q0302"


def test_no_such_code(qdsl) -> None:
    done = qdsl("explain", "Q9999")
    assert done.returncode == 2
    assert "there is no code Q9999" in done.stderr
