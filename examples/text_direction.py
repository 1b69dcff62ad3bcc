"""PP-OCR's text direction classifier on crops of a photographed page: float, qdsl's int8 and ONNX Runtime's int8.

The model and the page come in packages that the project itself does not need:

    pip install onnxruntime scikit-image
    pip install --no-deps rapidocr-onnxruntime==1.4.4
    python examples/text_direction.py
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quant_pre_process, quantize_static
from skimage import data
from skimage.filters import gaussian
from skimage.transform import resize

import qdsl

HEIGHT, WIDTH = 48, 192
"""What the classifier reads: a strip of text, 3 x 48 x 192, values -1 to 1."""
MODEL = "ch_ppocr_mobile_v2.0_cls_infer.onnx"

Array = NDArray[np.float32]


def text_lines(page: Array) -> list[tuple[int, int]]:
    """Top and bottom of each line of print: rows in which much is darker than its surroundings."""
    ink = page < 0.9 * gaussian(page, 12)
    dense = ink.mean(axis=1) > 0.04
    edges = np.flatnonzero(np.diff(np.concatenate([[0], dense.astype(int), [0]])))
    return [(top, bottom) for top, bottom in edges.reshape(-1, 2) if bottom - top >= 6]


def crops(page: Array, lines: list[tuple[int, int]]) -> tuple[Array, NDArray[np.int64]]:
    """Strips of the lines, each upright (label 0) and turned over (label 1)."""
    strips, labels = [], []
    for top, bottom in lines:
        top, bottom = max(top - 3, 0), min(bottom + 3, page.shape[0])
        width = 4 * (bottom - top)
        for left in range(0, page.shape[1] - width, width // 2):
            strip = page[top:bottom, left : left + width]
            if strip.std() < 0.08:  # nothing is printed here
                continue
            for label, turned in enumerate((strip, strip[::-1, ::-1])):
                grey = resize(turned, (HEIGHT, WIDTH), anti_aliasing=True).astype("float32")
                strips.append(np.repeat(2 * grey[None] - 1, 3, axis=0))
                labels.append(label)
    return np.stack(strips), np.array(labels)


class Samples(CalibrationDataReader):
    """Calibration data as ONNX Runtime asks for it."""

    def __init__(self, name: str, samples: Array) -> None:
        self.rest = iter([{name: sample[None]} for sample in samples])

    def get_next(self) -> dict[str, Array] | None:
        return next(self.rest, None)


def onnxruntime_int8(model: Path, name: str, samples: Array) -> onnxruntime.InferenceSession:
    """ONNX Runtime's static quantization at its best: per-channel weights, min-max ranges, batch norms folded first."""
    with tempfile.TemporaryDirectory() as folder:
        newer, prepared, quantized = (Path(folder, f"{step}.onnx") for step in ("newer", "prepared", "int8"))
        onnx.save(onnx.version_converter.convert_version(onnx.load(model), 13), newer)  # per-channel weights need it
        quant_pre_process(str(newer), str(prepared), skip_symbolic_shape=True)
        quantize_static(
            str(prepared),
            str(quantized),
            Samples(name, samples),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        return onnxruntime.InferenceSession(str(quantized), providers=["CPUExecutionProvider"])


def sqnr_db(reference: Array, other: Array) -> float:
    """10 log10(sum r^2 / sum (r - o)^2)."""
    return 10 * float(np.log10(np.square(reference).sum() / np.square(reference - other).sum()))


def main() -> None:
    package = find_spec("rapidocr_onnxruntime")
    if package is None or package.origin is None:
        raise SystemExit("pip install --no-deps rapidocr-onnxruntime==1.4.4")
    model = Path(package.origin).parent / "models" / MODEL
    page = data.page().astype("float32") / 255
    lines = text_lines(page)
    calibration, _ = crops(page, lines[0::2])
    test, labels = crops(page, lines[1::2])

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    name, output = session.get_inputs()[0].name, session.get_outputs()[0].name
    shapes = {name: (1, 3, HEIGHT, WIDTH)}
    result = qdsl.quantize(model, {name: calibration}, shapes=shapes)
    theirs = onnxruntime_int8(model, name, calibration)

    print(result.report.summary())
    expected = np.concatenate([session.run(None, {name: x[None]})[0] for x in test])
    answers = {
        "float": expected,
        "qdsl int8": np.concatenate([result.run({name: x[None]})[output] for x in test]),
        "ONNX Runtime int8": np.concatenate([theirs.run(None, {name: x[None]})[0] for x in test]),
    }
    print(f"\n{len(test)} crops of {len(lines[1::2])} lines; calibrated on {len(calibration)} of the other lines\n")
    print(f"{'':20}{'right':>6}{'as float':>10}{'dB':>7}")
    for who, answer in answers.items():
        right = int((answer.argmax(1) == labels).sum())
        agree = int((answer.argmax(1) == expected.argmax(1)).sum())
        decibels = "" if answer is expected else f"{sqnr_db(expected, answer):.1f}"
        print(f"{who:20}{right:6}{agree:10}{decibels:>7}")


if __name__ == "__main__":
    main()
