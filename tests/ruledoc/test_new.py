"""qdsl new: rules that check, for every operator, and tests that pass where that is possible."""

import json
from pathlib import Path

import pytest

from qdsl.errors import RuleError
from qdsl.lang.format import format_text
from qdsl.lang.program import load_text
from qdsl.ops import names
from qdsl.ruledoc.new import NewRule, new_rule
from qdsl.ruleset import with_stock
from qdsl.ruletest.run import run_tests

REFUSED = {
    "arange", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "dequantize", "eye", "hamming_window",
    "left_shift", "logical_and", "logical_not", "logical_or", "logical_xor", "nn.attention_var_len", "one_hot", "ones",
    "quantize", "right_shift", "shape_to_tensor", "tensor_to_shape", "zeros",
}  # fmt: skip
"""Operators that read no numbers, or that no match can name."""

OF_EACH_KIND = [
    "nn.conv2d", "matmul", "reshape", "concat", "split", "sigmoid", "nn.relu", "clip", "nn.pad", "add", "multiply",
    "mean", "nn.avg_pool2d", "nn.batch_norm", "argmax", "tril", "nn.softmax", "where", "flatten",
]  # fmt: skip


@pytest.fixture(scope="module")
def made() -> dict[str, NewRule]:
    found = {}
    for op in names():
        if op not in REFUSED:
            found[op] = new_rule(f"new_{op.replace('.', '_')}", op)
    return found


def test_every_operator_gets_a_rule_that_checks(made: dict[str, NewRule]) -> None:
    rules = with_stock(load_text("\n".join(new.text for new in made.values())))
    untested = {new.rule for new in made.values() if not new.has_test}
    found = [d for d in rules.check() if d.severity != "note"]
    wrong = [d for d in found if d.code != "Q0407" or d.primary.span.text not in untested]
    assert [f"{d.primary.span.line}: {d.code} {d.message}" for d in wrong] == []


def test_every_rule_is_in_our_style(made: dict[str, NewRule]) -> None:
    for op in OF_EACH_KIND:
        assert format_text(made[op].text).text == made[op].text, op


def test_most_operators_get_a_test(made: dict[str, NewRule]) -> None:
    without = [op for op, new in made.items() if not new.has_test]
    assert len(without) < len(made) / 5, without


@pytest.mark.parametrize("op", OF_EACH_KIND)
def test_the_test_passes_as_written(op: str) -> None:
    report = run_tests(with_stock(load_text(new_rule("fresh", op).text)))
    assert [case.message for case in report.cases if not case.passed] == []
    assert len(report.cases) == 1


@pytest.mark.parametrize("op", sorted(REFUSED))
def test_an_operator_without_numbers_is_refused(op: str) -> None:
    with pytest.raises(RuleError, match=op):
        new_rule("fresh", op)


@pytest.mark.parametrize(
    ("rule", "op", "said"),
    [
        ("a b", "nn.relu", "cannot be the name"),
        ("_", "nn.relu", "cannot be the name"),
        ("when", "nn.relu", "a word of the language"),
        ("r", "nn.dense", "matmul"),
        ("r", "nn.rleu", "nn.relu"),
    ],
)
def test_names_that_are_none(rule: str, op: str, said: str) -> None:
    with pytest.raises(RuleError, match=said):
        new_rule(rule, op)


def test_to_stdout(qdsl) -> None:
    done = qdsl("new", "my_reshape", "--op", "relax.reshape")
    assert done.returncode == 0
    assert done.stdout.startswith('rule my_reshape\n    "Reshape the input array."\n    match     y = reshape(x)\n')
    assert "passes as it is" in done.stderr
    answer = json.loads(qdsl("new", "my_reshape", "--op", "reshape", "--format", "json").stdout)
    assert answer == {"rule": "my_reshape", "op": "reshape", "text": done.stdout, "passes": True}


def test_appended_to_a_file(qdsl, tmp_path: Path) -> None:
    file = tmp_path / "mine.qrule"
    assert qdsl("new", "my_relu", "--op", "nn.relu", "-o", file.name).stdout == "my_relu added to mine.qrule\n"
    first = file.read_text()
    assert qdsl("new", "my_flip", "--op", "flip", "-o", file.name).returncode == 0
    assert file.read_text().startswith(first + "\nrule my_flip\n")
    assert qdsl("fmt", "--check", file.name).returncode == 0
    assert qdsl("check", file.name).returncode == 0
    again = qdsl("new", "my_relu", "--op", "nn.relu", "-o", file.name)
    assert (again.returncode, "already" in again.stderr) == (2, True)


def test_one_that_does_not_get_on_with_its_file_says_so(qdsl, tmp_path: Path) -> None:
    assert qdsl("new", "one", "--op", "flip", "-o", "mine.qrule").returncode == 0
    done = qdsl("new", "other", "--op", "flip", "-o", "mine.qrule")
    assert done.returncode == 0
    assert "Q0403" in done.stderr


@pytest.mark.parametrize(("name", "text"), [("bad.qrule", "rule"), ("notes.txt", "")])
def test_a_file_that_takes_no_rule(qdsl, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert qdsl("new", "r", "--op", "flip", "-o", name).returncode == 2
    assert (tmp_path / name).read_text() == text
