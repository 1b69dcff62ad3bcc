"""Every rule file here has something wrong with it; what is to be said of it stands beside it.

`Q0302_tuple_marked.qrule` must report Q0302, and its findings, rendered, must be `Q0302_tuple_marked.expected`.
Adding a case is adding the .qrule file and running with QDSL_ACCEPT=1, which writes the .expected file; read it before
committing. Files that do not begin with a code are used by cases and are none themselves.
"""

import importlib.util
import os
from pathlib import Path

import pytest

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program, load_program
from qdsl.lang.render import render

HERE = Path(__file__).parent
CASES = sorted(path.name for path in HERE.glob("Q[0-9][0-9][0-9][0-9]_*.qrule"))

ADVICE = {"Q0402", "Q0407", "Q0408", "Q0410", "Q0411"}
"""Said of nearly every small example; shown only in the cases that are about it."""


def findings(program: Program, code: str) -> list[Diagnostic]:
    """What is wrong with a program; of one that is about syntax, only what the parser says."""
    if code in ("Q0001", "Q0002") or importlib.util.find_spec("qdsl.check") is None:
        return program.diagnostics
    from qdsl.check import check

    checked = check(program)
    found = [*(d for d in program.diagnostics if d not in checked), *checked]
    return [d for d in found if d.code == code or d.code not in ADVICE]


@pytest.mark.parametrize("name", CASES)
def test_says_what_is_expected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)  # so that the messages show the bare name of the file
    code = name[:5]
    found = findings(load_program([name]), code)
    said = render(found) + "\n"
    expected = Path(name).with_suffix(".expected")
    if os.environ.get("QDSL_ACCEPT"):
        expected.write_text(said, encoding="utf-8")
    assert code in {d.code for d in found}, said
    assert expected.exists(), f"no {expected.name}; run with QDSL_ACCEPT=1 to write it. It would say:\n{said}"
    assert said == expected.read_text(encoding="utf-8")


def test_every_expectation_has_a_case() -> None:
    assert {p.stem for p in HERE.glob("*.expected")} == {Path(name).stem for name in CASES}
