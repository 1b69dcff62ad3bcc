"""What `make demo` shows: two bundled networks quantized by the stock rules, before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import qdsl

MODELS = Path(__file__).parent / "models"
console = Console(highlight=False)


def batch_norm_reproducer() -> None:
    """A network with a batch norm between convolutions: the norm is folded, and everything else computes in integers."""
    samples = np.load(MODELS / "bn_reproducer_inputs.npz")
    result = qdsl.quantize(MODELS / "bn_reproducer.onnx", {"input": samples["calib"]})
    console.print(result.report.table())
    console.print(f"\n{result.report.summary()}", markup=False)


def digits() -> None:
    """A trained classifier of handwritten digits: how many of 600 images it gets right, in float and in integers."""
    calibration, test = np.load(MODELS / "digits_calib.npz"), np.load(MODELS / "digits_test.npz")
    for name in ("digits_cnn", "digits_dw"):
        model, samples = MODELS / f"{name}.onnx", {"input": calibration["x"]}
        before = qdsl.quantize(model, samples, qdsl.QConfig(only=["none of them"]))
        after = qdsl.quantize(model, samples)
        console.print(f"\n{after.report.summary()}", markup=False)
        console.print(f"  right       {right(before, test)} of {len(test['y'])} in float, {right(after, test)} in integers")


def right(result: qdsl.Result, test: NDArray) -> int:
    """How many of the test images get their true label."""
    answers = [result.run({"input": image[None]})["logits"].argmax() for image in test["x"]]
    return int(np.sum(np.array(answers) == test["y"]))


if __name__ == "__main__":
    batch_norm_reproducer()
    digits()
