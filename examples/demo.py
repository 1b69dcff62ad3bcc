"""What `make demo` shows: three bundled networks quantized by the stock rules, before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator
from rich.console import Console

import qdsl

MODELS = Path(__file__).parent / "models"
console = Console(highlight=False)


def batch_norm_reproducer() -> None:
    """A batch norm between convolutions: it is folded, and everything else computes in integers."""
    samples = np.load(MODELS / "bn_reproducer_inputs.npz")
    result = qdsl.quantize(MODELS / "bn_reproducer.onnx", {"input": samples["calib"]})
    console.print(result.report.table(console.width))
    print(f"\n{result.report.summary()}")


def digits(name: str) -> None:
    """A trained classifier of handwritten digits: how many of 600 images it gets right, in float and in integers."""
    calibration, test = np.load(MODELS / "digits_calib.npz"), np.load(MODELS / "digits_test.npz")
    model, images = MODELS / f"{name}.onnx", test["x"]
    result = qdsl.quantize(model, {"input": calibration["x"]})
    before = ReferenceEvaluator(str(model)).run(["logits"], {"input": images})[0]
    after = result.run({"input": images})["logits"]
    print(f"\n{result.report.summary()}")
    console.print(
        f"  right       {right(before, test['y'])} of {len(images)} in float, {right(after, test['y'])} in integers"
    )


def right(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> int:
    """How many images get their true label."""
    return int((logits.argmax(axis=1) == labels).sum())


if __name__ == "__main__":
    batch_norm_reproducer()
    digits("digits_cnn")
    digits("digits_dw")
