"""qdsl check and qdsl test: formats, exit codes, and what stands where."""

import json
from pathlib import Path

import pytest

GOOD = """\
scheme byte = uint8 asymmetric per_tensor

rule my_relu
    "Its own name, so that the stock rules stay."
    match     y = nn.relu6(x)
    when      wanted(y)
    annotate  x as byte
              y like x
    realize   y = x
"""
BAD = "rule r\n    match     y = nn.conv2(x)\n    annotate  x as float\n              y as float\n"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.qrule"
    file.write_text(BAD)
    return file


def test_findings_are_1_and_on_stdout(qdsl, bad: Path) -> None:
    done = qdsl("check", bad.name)
    assert done.returncode == 1
    assert "error[Q0101]" in done.stdout
    assert "--> bad.qrule:2:" in done.stdout
    assert done.stderr == ""
    assert done.stdout.rstrip().endswith("in 1 file")


def test_json_has_the_promised_keys(qdsl, bad: Path) -> None:
    findings = json.loads(qdsl("check", bad, "--format", "json").stdout)
    keys = {"code", "severity", "message", "file", "line", "column", "end_line", "end_column", "labels", "help"}
    assert all(set(finding) == keys for finding in findings)
    assert "Q0101" in [finding["code"] for finding in findings]
    assert all(set(label) == {"file", "line", "column", "message"} for f in findings for label in f["labels"])


def test_every_format_names_code_and_place(qdsl, bad: Path) -> None:
    assert "bad.qrule:2:19: Q0101 " in qdsl("check", "bad.qrule", "--format", "concise").stdout
    assert "::error file=bad.qrule,line=2," in qdsl("check", "bad.qrule", "--format", "github").stdout
    sarif = json.loads(qdsl("check", "bad.qrule", "--format", "sarif").stdout)
    assert "Q0101" in [result["ruleId"] for result in sarif["runs"][0]["results"]]


def test_nothing_found_is_an_empty_list(qdsl, tmp_path: Path) -> None:
    (tmp_path / "empty.qrule").write_text("# nothing\n")
    done = qdsl("check", "empty.qrule", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    assert qdsl("check", "empty.qrule").stdout == "no findings in 1 file\n"


@pytest.mark.parametrize("name", ["nowhere.qrule", "folder", "latin.qrule"])
def test_a_file_that_cannot_be_read_is_2(qdsl, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.qrule").write_bytes(b"# caf\xe9\n")
    done = qdsl("check", name)
    assert done.returncode == 2
    assert "Q0002" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_use_that_leads_nowhere_is_a_finding(qdsl, tmp_path: Path) -> None:
    (tmp_path / "a.qrule").write_text('use "nowhere.qrule"\n')
    done = qdsl("check", "a.qrule")
    assert done.returncode == 1
    assert "Q0002" in done.stdout


def test_a_folder_stands_for_the_files_in_it(qdsl, tmp_path: Path, bad: Path) -> None:
    (tmp_path / "good.qrule").write_text(GOOD)
    assert qdsl("check", ".").stdout.rstrip().endswith("in 2 files")


def test_the_stock_rules_are_checked_without_a_path(qdsl) -> None:
    done = qdsl("check", "--format", "json")
    assert not [f for f in json.loads(done.stdout) if f["severity"] == "error"], done.stdout


def test_tests_run_by_name(qdsl) -> None:
    done = qdsl("test", "-k", "^convolution keeps stride")
    assert (done.returncode, done.stdout) == (0, "1 passed, 0 failed\n"), done.stderr
    data = json.loads(qdsl("test", "-k", "^convolution keeps stride", "--format", "json").stdout)
    assert [case["passed"] for case in data] == [True]


def test_a_failing_test_is_1_and_says_what_was_seen(qdsl, tmp_path: Path) -> None:
    (tmp_path / "t.qrule").write_text(
        'test convolution "never fires"\n'
        "    given     x: float32[1, 8, 8, 8]\n"
        "              w: const float32[4, 8, 3, 3]\n"
        "              y = nn.conv2d(x, w)\n"
        '    expect    skips "constant(w)"\n'
    )
    done = qdsl("test", "t.qrule")
    assert done.returncode == 1
    assert done.stdout.startswith('t.qrule:1:1: FAIL convolution "never fires": ')
    assert done.stdout.endswith("0 passed, 1 failed\n")


def test_a_pattern_that_is_none(qdsl) -> None:
    done = qdsl("test", "-k", "(")
    assert done.returncode == 2
    assert "not a regular expression" in done.stderr
