"""What each restriction of the chip costs on the digits network: SQNR of the output, and how many images are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import qdsl

HERE = Path(__file__).parent
MODELS = HERE.parent / "models"
STEPS = {
    "the stock rules": (),
    "no zero points": (HERE / "steps" / "symmetric.qrule",),
    "and powers of two as scales": (HERE / "steps" / "powers_of_two.qrule",),
    "and one scale for each kernel, 16-bit biases": (HERE / "chip.qrule",),
}


def main() -> None:
    calibration, test = np.load(MODELS / "digits_calib.npz")["x"], np.load(MODELS / "digits_test.npz")
    for words, files in STEPS.items():
        rules = qdsl.load_rules(*files) if files else None
        result = qdsl.quantize(MODELS / "digits_cnn.onnx", {"input": calibration}, rules=rules)
        labels = result.run({"input": test["x"]})["logits"].argmax(axis=1)
        right = int((labels == test["y"]).sum())
        print(f"{words:45} {result.report.outputs[0].sqnr_db:5.1f} dB {right:4} of {len(labels)} right")


if __name__ == "__main__":
    main()
