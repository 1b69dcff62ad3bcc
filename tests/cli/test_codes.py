"""The index of codes knows every code that qdsl prints, and no other."""

import json
import re
from pathlib import Path

import pytest

from qdsl.cli.codes import CODES, markdown

ROOT = Path(__file__).parents[2]


def test_every_code_in_the_source_has_a_page() -> None:
    sources = [file.read_text() for file in (ROOT / "qdsl").rglob("*.py") if file.name != "codes.py"]
    # A code after a comparison is the bound of a family, not a finding.
    printed = {code for text in sources for code in re.findall(r'(?<![<>] ")\b(Q\d{4})\b', text)}
    assert printed == set(CODES)


def test_the_page_in_docs_is_the_index() -> None:
    assert (ROOT / "docs" / "codes.md").read_text() == "\n".join(markdown()) + "\n", "run `make docs`"


@pytest.mark.parametrize("code", ["Q0302", "q0302"])
def test_explain(qdsl, code: str) -> None:
    done = qdsl("explain", code)
    assert done.returncode == 0
    assert done.stdout.startswith("Q0302: a tuple is marked or quantized\n")
    assert json.loads(qdsl("explain", code, "--format", "json").stdout)["code"] == "Q0302"


def test_no_such_code(qdsl) -> None:
    done = qdsl("explain", "Q9999")
    assert done.returncode == 2
    assert "there is no code Q9999" in done.stderr
