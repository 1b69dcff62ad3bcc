"""Measures every way to choose ranges on the bundled networks, and writes the table into docs/calibration.md.

SQNR of the output against float, on samples that calibration has not seen: 10 log10(sum y^2 / sum (y - y')^2) over all
of them. Each network is observed once, with histograms; its ranges are then chosen anew from the same sketches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

import qdsl

PAGE = Path(__file__).parents[1] / "calibration.md"
MODELS = Path(__file__).parents[2] / "examples" / "models"
NETWORKS = ("bn_reproducer", "digits_cnn", "digits_dw")
WAYS = {
    "minmax": {},
    "percentile": {"calibrate_mode": "percentile"},
    "percentile, 99.9": {"calibrate_mode": "percentile", "percentile": 99.9},
    "mse": {"calibrate_mode": "mse"},
    "entropy": {"calibrate_mode": "entropy"},
    "global_scale, 8.0": {"calibrate_mode": "global_scale"},
    "minmax, no zero points": {"asymmetric": False},
    "minmax, one scale for each weight": {"per_channel": False},
}
TABLE = re.compile(r"(<!-- measured by docs/scripts/calibration.py -->\n).*?(?=\n\n)", re.DOTALL)


def samples(network: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Samples to calibrate with, and others to measure on."""
    if network == "bn_reproducer":
        data = np.load(MODELS / "bn_reproducer_inputs.npz")
        return data["calib"], data["test"]
    return np.load(MODELS / "digits_calib.npz")["x"], np.load(MODELS / "digits_test.npz")["x"]


def measure(network: str) -> Iterator[float]:
    """SQNR in dB for each of WAYS."""
    model = MODELS / f"{network}.onnx"
    seen, unseen = samples(network)
    expected = ReferenceEvaluator(str(model)).run(None, {"input": unseen})[0]
    known: qdsl.Calibration | None = None
    for options in ({"calibrate_mode": "mse"}, *WAYS.values()):
        result = qdsl.quantize(model, known or {"input": seen}, qdsl.QConfig(**options))
        if known is None:
            known = result.calibration
            continue
        (found,) = result.run({"input": unseen}).values()
        yield 10 * float(np.log10(np.sum(expected**2) / np.sum((expected - found) ** 2)))


def table() -> str:
    """The table of the page."""
    columns = [[f"{db:.1f}" for db in measure(network)] for network in NETWORKS]
    lines = [f"| | {' | '.join(NETWORKS)} |", "|---|" + "---|" * len(NETWORKS)]
    lines += [f"| {way} | {' | '.join(row)} |" for way, *row in zip(WAYS, *columns, strict=True)]
    return "\n".join(lines)


if __name__ == "__main__":
    made = table()
    PAGE.write_text(TABLE.sub(lambda m: m[1] + made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
