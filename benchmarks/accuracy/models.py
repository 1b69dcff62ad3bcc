"""The models that are measured: where each is, and its samples for calibration and for the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import zoo
from benchmarks.accuracy.cut import Sample
from benchmarks.accuracy.inputs import audio, contents, faces, pictures, sentences, text

BUNDLED = Path(__file__).parents[2] / "examples" / "models"


@dataclass(frozen=True)
class Samples:
    """What a model is calibrated on, in disjoint subsets, and tested on."""

    subsets: tuple[tuple[Sample, ...], ...]
    test: tuple[Sample, ...]


@dataclass(frozen=True)
class Model:
    """One row of the table."""

    name: str
    title: str
    file: Callable[[], Path]
    samples: Callable[[], Samples]
    transformer: bool = False
    """NNCF is told so, as its documentation asks for."""
    answer: str = "largest"
    """What is read off the last output: which number is the "largest" along the last axis, whether each is "positive"
    (a sigmoid above one half), or nothing ("")."""


def _subsets(pool: Iterable[Sample], test: Iterable[Sample], count: int, size: int) -> Samples:
    """`count` disjoint subsets of `size` samples each, dealt out in turn so that each sees every kind."""
    dealt = list(pool)[: count * size]
    return Samples(tuple(tuple(dealt[start::count]) for start in range(count)), tuple(test))


def _named(name: str, arrays: Iterable[NDArray[np.generic]]) -> Iterator[Sample]:
    return ({name: np.ascontiguousarray(a)[None]} for a in arrays)


def _bundled(name: str) -> Callable[[], Path]:
    return lambda: BUNDLED / f"{name}.onnx"


def _fetched(name: str) -> Callable[[], Path]:
    return lambda: zoo.path(name)


def _digits() -> Samples:
    calibration, test = (np.load(BUNDLED / f"digits_{part}.npz")["x"] for part in ("calib", "test"))
    return _subsets(_named("input", calibration), _named("input", test[:200]), 5, 32)


def _reproducer() -> Samples:
    inputs = np.load(BUNDLED / "bn_reproducer_inputs.npz")
    return _subsets(_named("input", inputs["calib"]), _named("input", inputs["test"]), 3, 3)


def _text_direction() -> Samples:
    lines, draw = text.page_lines(), np.random.default_rng(0)
    upright = text.page_strips(lines[0::2], 4)[:12]
    upright += [text.rendered_line(draw, pictures.CALIBRATION, (48, 192)) for _ in range(20)]
    held_back = text.page_strips(lines[1::2], 4)[:8]
    held_back += [text.rendered_line(draw, pictures.TEST, (48, 192)) for _ in range(12)]
    pool, test = (
        text.normalized([image for line in part for image in (line, line.rotate(180))], (48, 192))
        for part in (upright, held_back)
    )
    return _subsets(_named("x", pool), _named("x", test), 4, 16)


def _text_detection() -> Samples:
    draw, squares = np.random.default_rng(1), text.page_squares(text.page_lines(), 320)
    pool = squares[:1] + [text.scene(draw, pictures.CALIBRATION, 320) for _ in range(23)]
    test = squares[1:] + [text.scene(draw, pictures.TEST, 320) for _ in range(6)]
    return _subsets(
        _named("x", text.normalized(pool, (320, 320))), _named("x", text.normalized(test, (320, 320))), 3, 8
    )


def _text_recognition() -> Samples:
    lines, draw, size = text.page_lines(), np.random.default_rng(2), (48, 320)
    pool = text.page_strips(lines[0::2], 320 / 48)[:8]
    pool += [text.rendered_line(draw, pictures.CALIBRATION, size) for _ in range(16)]
    test = text.page_strips(lines[1::2], 320 / 48)[:3]
    test += [text.rendered_line(draw, pictures.TEST, size) for _ in range(5)]
    return _subsets(_named("x", text.normalized(pool, size)), _named("x", text.normalized(test, size)), 3, 8)


def _proposals() -> Samples:
    """P-Net slides over a pyramid of pictures; 12 pixels are a face to it."""
    pool = (faces.stage(p) for p in pictures.crops(pictures.CALIBRATION, 48, (96, 96), 3))
    test = (faces.stage(p) for p in pictures.crops(pictures.TEST, 20, (96, 96), 4))
    return _subsets(_named("input_1", pool), _named("input_1", test), 3, 16)


def _candidates(name: str, side: int) -> Callable[[], Samples]:
    def samples() -> Samples:
        pool = faces.candidates(0, 96, pictures.CALIBRATION, side, 5)
        test = faces.candidates(60, 40, pictures.TEST, side, 6)
        return _subsets(_named(name, pool), _named(name, test), 3, 32)

    return samples


def _photographs(name: str, normalize: Callable[[NDArray[np.float32]], NDArray[np.float32]]) -> Callable[[], Samples]:
    def samples() -> Samples:
        pool, test = (
            pictures.crops(pictures.CALIBRATION, 27, (224, 224), 7),
            pictures.crops(pictures.TEST, 10, (224, 224), 8),
        )
        return _subsets(_named(name, map(normalize, pool)), _named(name, map(normalize, test)), 3, 9)

    return samples


def _caffe(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    return pixels[:, :, ::-1] - np.array([104, 117, 123], np.float32)


def _imagenet(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    mean, deviation = (np.array(v, np.float32) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    return ((pixels / 255 - mean) / deviation).transpose(2, 0, 1)


def _sentences() -> Samples:
    every = list(sentences.samples())
    return _subsets(every[:40], every[40:], 4, 10)


def _files() -> Samples:
    every = [{"bytes": row} for row in contents.samples()]
    return _subsets(every[:48], every[48:], 3, 16)


def _music() -> Samples:
    name = "serving_default_input_2:0"
    return _subsets(_named(name, audio.windows(24, 0)), _named(name, audio.windows(6, 1)), 3, 8)


MODELS: Sequence[Model] = (
    Model("bn_reproducer", "bn_reproducer", _bundled("bn_reproducer"), _reproducer, answer=""),
    Model("digits_cnn", "digits_cnn", _bundled("digits_cnn"), _digits),
    Model("digits_dw", "digits_dw", _bundled("digits_dw"), _digits),
    Model("mtcnn_pnet", "MTCNN P-Net", _fetched("mtcnn_pnet"), _proposals),
    Model("mtcnn_rnet", "MTCNN R-Net", _fetched("mtcnn_rnet"), _candidates("input_2", 24)),
    Model("mtcnn_onet", "MTCNN O-Net", _fetched("mtcnn_onet"), _candidates("input_3", 48)),
    Model("ppocr_cls", "PP-OCR cls", _fetched("ppocr_cls"), _text_direction),
    Model("ppocr_det", "PP-OCR det", _fetched("ppocr_det"), _text_detection, answer="positive"),
    Model("ppocr_rec", "PP-OCR rec", _fetched("ppocr_rec"), _text_recognition),
    Model("open_nsfw", "open_nsfw", _fetched("open_nsfw"), _photographs("input_0", _caffe)),
    Model("minilm_l3", "MiniLM-L3", _fetched("minilm_l3"), _sentences, transformer=True, answer=""),
    Model(
        "vit_s", "ViT-S", _fetched("vit_s"), _photographs("input_image", _imagenet), transformer=True, answer="positive"
    ),
    Model("magika", "magika", _fetched("magika"), _files),
    Model("basic_pitch", "basic-pitch", _fetched("basic_pitch"), _music, answer="positive"),
)
