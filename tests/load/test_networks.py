"""Whole networks: the bundled ones against onnx's reference, the classic ones that onnx carries by their structure."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from tvm import relax

from qdsl.load import LoadedModel, load_model

from .models import Array, bindings, feeds_for, operators, reference, run

BUNDLED = Path(__file__).parents[2] / "examples" / "models"
CLASSIC = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

NETWORKS = {
    "bn_reproducer": {"nn.conv2d": 3, "add": 3, "nn.relu": 2, "nn.batch_norm": 1},
    "digits_cnn": {
        "nn.conv2d": 4, "nn.batch_norm": 4, "nn.relu": 4, "add": 2, "mean": 1, "reshape": 1, "matmul": 1,
    },
    "digits_dw": {
        "nn.conv2d": 8, "nn.batch_norm": 8, "nn.relu": 5, "clip": 2, "add": 2, "mean": 1, "reshape": 1, "matmul": 1,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_bundled_network(name: str) -> None:
    path = BUNDLED / f"{name}.onnx"
    loaded = load_model(path)
    assert loaded.name == name
    assert operators(loaded) == NETWORKS[name]
    feeds, expected = _samples(name, path, loaded)
    (result,) = run(loaded, feeds)
    # Sums of up to 576 products, three deep: some 100 roundings of the largest value.
    np.testing.assert_allclose(result, expected, rtol=0, atol=100 * np.finfo(np.float32).eps * np.abs(expected).max())


def _samples(name: str, path: Path, loaded: LoadedModel) -> tuple[dict[str, Array], Array]:
    """Inputs and the output they give; onnx's reference takes a norm of the reproducer's set for one in training."""
    if name == "bn_reproducer":
        stored = np.load(BUNDLED / "bn_reproducer_inputs.npz")
        return {"input": stored["test"][:1]}, stored["test_ref"][:1]
    feeds = feeds_for(loaded)
    return feeds, reference(onnx.load(str(path)), feeds)[0]


def test_batch_of_samples_at_once() -> None:
    loaded = load_model(BUNDLED / "digits_cnn.onnx", shapes={"input": (5, 1, 8, 8)})
    x = feeds_for(loaded)["input"]
    together = run(loaded, {"input": x})[0]
    alone = load_model(BUNDLED / "digits_cnn.onnx", sample_shapes={"input": (5, 1, 8, 8)})
    assert alone.inputs[0].shape == (1, 1, 8, 8)
    np.testing.assert_allclose(run(alone, {"input": x[2:3]})[0], together[2:3], rtol=1e-4, atol=1e-4)


CONVOLUTIONS = {
    "densenet121": (121, 121),
    "inception_v1": (57, 0),
    "inception_v2": (69, 69),
    "resnet50": (53, 53),
    "shufflenet": (49, 49),
    "squeezenet": (26, 0),
}
"""Convolutions and batch norms."""


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_classic_network(name: str) -> None:
    start = time.process_time()
    loaded = load_model(CLASSIC / f"light_{name}.onnx")
    assert time.process_time() - start < 10
    relax.analysis.well_formed(loaded.module)
    counted = operators(loaded)
    assert (counted["nn.conv2d"], counted.get("nn.batch_norm", 0)) == CONVOLUTIONS[name]
    # Flattened, reshaped and pooled weights, dropout and the shapes they ask for leave nothing behind.
    known = {
        "nn.conv2d", "nn.batch_norm", "nn.relu", "nn.max_pool2d", "nn.avg_pool2d", "mean", "concat", "add", "multiply",
        "reshape", "permute_dims", "matmul", "nn.softmax",
    }  # fmt: skip
    local_response = {"expand_dims", "nn.avg_pool3d", "squeeze", "power", "divide"}
    assert set(counted) - known == (local_response if name == "inception_v1" else set())
    for binding in bindings(loaded):
        if isinstance(binding.value, relax.Call) and binding.value.op.name in ("relax.nn.conv2d", "relax.matmul"):
            assert not isinstance(binding.value.args[1], relax.Var)
