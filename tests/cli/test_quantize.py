"""qdsl quantize and what works on its output: run, report, explain, plan."""

import json
from pathlib import Path

import numpy as np
import pytest

from .tiny import samples, tiny_model

FILES = {"model.so", "module.json", "module.py", "report.json", "report.html", "calibration.npz"}
PER_TENSOR = """\
use "RULES/schemes.qrule"
scheme coarse = int8 symmetric per_tensor narrow

rule convolution
    "One scale for the whole weight."
    match     y = nn.conv2d(x, w)
    when      constant(w)
    annotate  x as act
              w as coarse
              y as acc = x.scale * w.scale
    realize   y = nn.conv2d(centered(x), w, **y, out_dtype=int32)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    np.savez(tmp_path / "data.npz", x=samples())
    return tiny_model(tmp_path / "tiny.onnx")


def test_the_whole_way(qdsl, model: Path, tmp_path: Path) -> None:
    done = qdsl("quantize", "tiny.onnx", "--calib", "data.npz", "-o", "out", "--min-sqnr", 20, "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 of 3 operators in integers" in done.stdout
    assert {file.name for file in (tmp_path / "out").iterdir()} == FILES
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [node["name"] for node in report["nodes"]] == ["conv", "relu", "last"]
    assert "R.qdsl." in (tmp_path / "out" / "module.py").read_text()

    done = qdsl("run", "out", "--input", "data.npz", "-o", "y.npz")
    assert done.returncode == 0
    answer = np.load(tmp_path / "y.npz")["y"]
    assert (answer.shape, answer.dtype) == ((4, 8, 6, 6), np.float32)
    shown = json.loads(qdsl("run", "out", "--input", "data.npz", "--format", "json").stdout)
    assert shown["outputs"][0]["max"] == pytest.approx(float(answer.max()))

    assert "3 of 3 operators in integers" in qdsl("report", "out").stdout
    assert json.loads(qdsl("report", "out", "--format", "json").stdout) == report

    done = qdsl("quantize", "tiny.onnx", "--calibration", "out/calibration.npz", "-o", "again", "--format", "json")
    again = json.loads(done.stdout)
    assert again["provenance"]["sha256"]["result"] == report["provenance"]["sha256"]["result"]


def test_rules_of_ones_own_change_the_report(qdsl, model: Path, tmp_path: Path) -> None:
    from qdsl.lang.stock import rules_folder

    (tmp_path / "mine.qrule").write_text(PER_TENSOR.replace("RULES", str(rules_folder())))
    command = ("quantize", "tiny.onnx", "--calib", "data.npz", "--format", "json")
    before = json.loads(qdsl(*command, "-o", "out").stdout)["nodes"][0]
    after = json.loads(qdsl(*command, "-o", "out2", "--rules", "mine.qrule").stdout)["nodes"][0]
    assert before["rule"] == after["rule"] == "convolution + bias_add"
    assert len(before["scale"]) == 8
    assert isinstance(after["scale"], float)


def test_what_was_asked_for_and_missed_is_1(qdsl, tmp_path: Path) -> None:
    tiny_model(tmp_path / "sin.onnx", last="Sin")
    np.savez(tmp_path / "data.npz", x=samples())
    done = qdsl("quantize", "sin.onnx", "--calib", "data.npz", "-o", "out", "--strict", "--min-sqnr", 200)
    assert done.returncode == 1
    assert "--strict: 1 of 3 operators are in float: last" in done.stderr
    assert "--min-sqnr 200: output y reaches" in done.stderr
    assert (tmp_path / "out" / "model.so").exists()


def test_random_samples_are_loudly_marked(qdsl, model: Path) -> None:
    done = qdsl("quantize", "tiny.onnx", "--calib", "random", "-o", "out")
    assert done.returncode == 0
    assert "warning: the samples were random numbers" in done.stdout


def test_annotate_needs_no_data_and_prints_its_marks(qdsl, model: Path, tmp_path: Path) -> None:
    done = qdsl("quantize", "tiny.onnx", "--stage", "annotate", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert {file.name for file in (tmp_path / "out").iterdir()} == FILES - {"model.so", "calibration.npz"}
    text = (tmp_path / "out" / "module.py").read_text()
    assert "R.qdsl.simulated_quantize" in text
    assert "convolution" in text


def test_plan_and_explain_need_no_data(qdsl, model: Path) -> None:
    done = qdsl("plan", "tiny.onnx", "--skip", "nn.conv2d")
    assert done.returncode == 0
    assert "skipped by the configuration" in done.stdout
    done = qdsl("explain", "tiny.onnx", "conv")
    assert done.stdout.startswith("conv (Conv): quantized")
    tried = json.loads(qdsl("explain", "tiny.onnx", "conv", "--format", "json").stdout)[0]["parts"][0]["attempts"]
    assert {key: tried[-1][key] for key in ("rule", "fired")} == {"rule": "convolution", "fired": True}
    done = qdsl("explain", "tiny.onnx", "convv")
    assert done.returncode == 2
    assert "did you mean 'conv'?" in done.stderr


def spoilt(kind: str, folder: Path) -> None:
    """Spoil the model or the data in one way."""
    x = samples()
    if kind == "truncated model":
        whole = (folder / "tiny.onnx").read_bytes()
        (folder / "tiny.onnx").write_bytes(whole[: len(whole) // 2])
    elif kind == "no model":
        (folder / "tiny.onnx").unlink()
    elif kind == "pickled data":
        np.savez(folder / "data.npz", x=np.array([{"a": 1}], dtype=object))
    elif kind == "NaN":
        x[2, 0, 0, 0] = np.nan
        np.savez(folder / "data.npz", x=x)
    elif kind == "other input":
        np.savez(folder / "data.npz", z=x)
    elif kind == "other shape":
        np.savez(folder / "data.npz", x=x[:, :3])
    elif kind == "no data":
        (folder / "data.npz").unlink()
    elif kind == "data is text":
        (folder / "data.npz").write_text("hello")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("truncated model", "tiny.onnx"),
        ("no model", "tiny.onnx"),
        ("pickled data", "pickled"),
        ("NaN", "ample 2"),
        ("other input", "'x'"),
        ("other shape", "x"),
        ("no data", "data.npz"),
        ("data is text", "data.npz"),
    ],
)
def test_unreadable_input_is_2_and_leaves_nothing(qdsl, model: Path, tmp_path: Path, kind: str, words: str) -> None:
    spoilt(kind, tmp_path)
    before = sorted(tmp_path.iterdir())
    done = qdsl("quantize", "tiny.onnx", "--calib", "data.npz", "-o", "out")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("qdsl: error: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "neither is given"),
        (["--calib", "data.npz", "--calibration", "c.npz"], "both are given"),
        (["--calib", "data.npz", "--set", "skip_k_conv=[0]"], "now called skip_conv_layers"),
        (["--calib", "data.npz", "--only", "convolutoin"], "did you mean 'convolution'?"),
        (["--calib", "data.npz", "--skip", "nothing/*"], "nothing/*"),
        (["--calib", "data.npz", "--rules", "none.qrule"], "none.qrule"),
        (["--calib", "data.npz", "--target", "toaster"], "toaster"),
        (["--calib", "data.npz", "--shape", "x=1,4"], "x"),
        (["--calib", "data.npz", "--config", "none.toml"], "none.toml: no such file"),
    ],
)
def test_wrong_usage_is_2_and_leaves_nothing(qdsl, model: Path, tmp_path: Path, options: list, words: str) -> None:
    before = sorted(tmp_path.iterdir())
    done = qdsl("quantize", "tiny.onnx", "-o", "out", *options)
    assert done.returncode == 2
    assert done.stderr.startswith("qdsl: error: ")
    assert "internal error" not in done.stderr
    assert words in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_run_says_what_is_wrong_with_its_folder_and_data(qdsl, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = qdsl("run", "out", "--input", "data.npz")
    assert done.returncode == 2
    assert "there is no model.so in it" in done.stderr
    (tmp_path / "out" / "model.so").write_text("no library")
    done = qdsl("run", "out", "--input", "data.npz")
    assert done.returncode == 2
    assert "internal error" not in done.stderr
