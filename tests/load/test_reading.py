"""What cannot be read is refused in one sentence that says what and where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from qdsl.errors import ModelError
from qdsl.load import load_model

from .models import feeds_for, model, node, random, reference, run


@pytest.fixture
def proto() -> onnx.ModelProto:
    return model([node("MatMul", ["x", "w"], ["y"])], {"x": ["N", 64]}, constants={"w": random(64, 32)})


def _refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    assert _refusal(tmp_path / "none.onnx") == f"There is no file {tmp_path / 'none.onnx'}."


def test_folder(tmp_path: Path) -> None:
    assert _refusal(tmp_path) == f"{tmp_path} is a folder; give the .onnx file inside it."


@pytest.mark.parametrize("content", [b"", b"not a model at all", b"PK\x03\x04" + bytes(64), bytes(1000)])
def test_no_model(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.onnx"
    file.write_bytes(content)
    assert "not an ONNX model" in _refusal(file)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_cut_short(tmp_path: Path, proto: onnx.ModelProto, share: float) -> None:
    whole = proto.SerializeToString()
    file = tmp_path / "m.onnx"
    file.write_bytes(whole[: int(len(whole) * share)])
    assert "cut short" in _refusal(file)


def test_empty_graph() -> None:
    with pytest.raises(ModelError, match="empty graph"):
        load_model(model([], {"x": [1]}, outputs=["x"]))


def test_opset_of_the_future(proto: onnx.ModelProto) -> None:
    proto.opset_import[0].version = 999
    with pytest.raises(ModelError, match=r"operator set 999.*knows sets up to \d+; upgrade onnx"):
        load_model(proto)


def test_external_data(tmp_path: Path, proto: onnx.ModelProto) -> None:
    feeds = feeds_for(load_model(proto))
    expected = reference(proto, feeds)
    file = tmp_path / "m.onnx"
    onnx.save(proto, str(file), save_as_external_data=True, location="weights.bin", size_threshold=0)
    np.testing.assert_allclose(run(load_model(str(file)), feeds), expected, rtol=1e-5, atol=1e-5)

    (tmp_path / "weights.bin").unlink()
    message = _refusal(file)
    assert "weights.bin" in message
    assert str(tmp_path) in message


def test_external_data_of_a_model_in_memory(tmp_path: Path, proto: onnx.ModelProto) -> None:
    file = tmp_path / "m.onnx"
    onnx.save(proto, str(file), save_as_external_data=True, location="weights.bin", size_threshold=0)
    with pytest.raises(ModelError, match=r"weights.bin.*give the path"):
        load_model(onnx.load(str(file), load_external_data=False))


def test_no_model_at_all() -> None:
    with pytest.raises(ModelError, match=r"not int\."):
        load_model(3)  # type: ignore[arg-type]


def test_params_with_onnx(proto: onnx.ModelProto) -> None:
    with pytest.raises(ModelError, match="carries its own weights"):
        load_model(proto, params={"w": 0})


def test_the_model_given_is_not_changed(proto: onnx.ModelProto) -> None:
    before = proto.SerializeToString()
    load_model(proto, shapes={"x": (2, 64)})
    assert proto.SerializeToString() == before


def test_all_unsupported_operators_at_once() -> None:
    nodes = [
        node("LSTM", ["x", "w", "r"], ["h"], hidden_size=4, name="lstm_1"),
        node("Relu", ["h"], ["i"]),
        node("Fancy", ["i"], ["y"], domain="com.example"),
    ]
    proto = model(nodes, {"x": [1, 1, 8]}, constants={"w": random(1, 16, 8), "r": random(1, 16, 4)})
    with pytest.raises(ModelError) as caught:
        load_model(proto)
    assert str(caught.value) == (
        "qdsl cannot import these operators:\n"
        "  LSTM (node lstm_1): Relax has no importer for it\n"
        "  com.example.Fancy (node Fancy_2): Relax has no importer for it"
    )


def test_one_unsupported_operator() -> None:
    proto = model([node("Det", ["x"], ["y"])], {"x": [2, 2]})
    with pytest.raises(
        ModelError, match=r"^qdsl cannot import operator Det \(node Det_0\): Relax has no importer for it\.$"
    ):
        load_model(proto)


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ([node("NonZero", ["x"], ["y"])], "depends on the values that it reads"),
        ([node("IsInf", ["x"], ["y"], detect_negative=0)], "detect_negative is 0"),
        ([node("MaxPool", ["x"], ["z", "y"], kernel_shape=[2])], "it has 2 outputs"),
        ([node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT8E4M3FN)], "float8_e4m3fn"),
        ([node("Reshape", ["x", "s"], ["y"])], "node Reshape_0"),
        ([node("Dropout", ["x", "", "training"], ["y"])], "training mode"),
        ([node("Resize", ["x", "", "scales"], ["y"])], "makes no whole number"),
    ],
)
def test_wrong_or_impossible_conversions(
    nodes: list[onnx.NodeProto], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    constants = {"s": np.asarray([5], np.int64), "scales": [1.0, 1.0, 1.3], "training": np.asarray(True)}
    with pytest.raises(ModelError, match="qdsl cannot import operator") as caught:
        load_model(model(nodes, {"x": [1, 2, 8]}, constants=constants))
    assert told in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert capfd.readouterr().out == ""
