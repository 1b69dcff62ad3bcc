"""Exit codes, streams and wording that every command shares."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["confg"], "Did you mean 'config'?"),
        (["config", "--format", "xml"], "'xml' is not one of"),
        (["config", "a", "b"], "unexpected extra argument"),
        (["ops", "--bogus"], "No such option"),
        (["config", "skip_k_conv"], "option skip_k_conv is now called skip_conv_layers"),
        (["config", "percentil"], "did you mean percentile?"),
        (["ops", "nn.cnov2d"], "did you mean nn.conv2d?"),
        (["ops", "BatchNormalization"], "nn.batch_norm"),
        (["report", "nowhere"], "nowhere: cannot be read: No such file or directory"),
    ],
)
def test_wrong_usage_is_2_and_a_sentence_on_stderr(qdsl, arguments: list[str], words: str) -> None:
    done = qdsl(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_help_names_every_command(qdsl) -> None:
    done = qdsl("--help")
    assert done.returncode == 0
    assert {"check", "config", "ops", "doctor", "report"} <= set(done.stdout.split())


def test_debug_shows_the_traceback_wherever_it_stands(qdsl) -> None:
    done = qdsl("config", "skip_k_conv", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert "qdsl: error: option skip_k_conv" in done.stderr


def test_nothing_but_what_asks_for_tvm_imports_it(tmp_path: Path) -> None:
    (tmp_path / "empty.qrule").touch()
    code = (
        "import sys, qdsl.cli.main as m\n"
        "try: m.main(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "assert not {'tvm', 'onnx'} & set(sys.modules), 'imported'\n"
    )
    for arguments in (["--help"], ["config"], ["ops", "nn.conv2d"], ["version"], ["check", "empty.qrule"]):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, (arguments, done.stderr)


def test_config_and_ops_as_json(qdsl) -> None:
    options = json.loads(qdsl("config", "--format", "json").stdout)
    assert {"name", "default", "valid", "meaning", "relay"} == set(options[0])
    assert json.loads(qdsl("config", "percentile", "--format", "json").stdout)[0]["default"] == "99.99"
    assert "nn.conv2d" in json.loads(qdsl("ops", "--format", "json").stdout)
    assert json.loads(qdsl("ops", "relax.nn.conv2d", "--format", "json").stdout)["name"] == "nn.conv2d"


def test_ops_describes_operands_attributes_and_letters(qdsl) -> None:
    text = qdsl("ops", "nn.conv2d").stdout
    assert "nn.conv2d(data, weight) -> one result" in text
    assert "OIHW" in text
    assert "groups" in text
    assert "= [1, 1]" in text


def test_pipes_get_no_colour(qdsl) -> None:
    for arguments in (["config"], ["ops"], ["doctor"]):
        assert "\x1b" not in qdsl(*arguments).stdout
