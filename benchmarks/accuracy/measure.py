"""SQNR of every output of a quantized model over the test samples, for every calibration subset."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray

from benchmarks import zoo
from benchmarks.accuracy.cut import Sample, prepared, sample_shapes
from benchmarks.accuracy.models import Model, Samples
from benchmarks.accuracy.tools import Quantizer, float_model, outputs

Outputs = Sequence[Mapping[str, NDArray[np.float64]]]

PEERS = ("onnxruntime", "openvino", "nncf")


class Row(NamedTuple):
    """What came of one calibration subset."""

    sqnr_db: tuple[float, ...]
    """Of every output."""
    agreement: float | None
    """Share of the float model's answers that stayed."""


def load(model: Model) -> tuple[onnx.ModelProto, Samples]:
    """A model cut before its final softmax or sigmoid, and its samples. Raises zoo.Unavailable."""
    samples = model.samples()
    return prepared(onnx.load(model.file()), sample_shapes(samples.test[0])), samples


def sqnr_db(reference: Outputs, made: Outputs) -> dict[str, float]:
    """10 log10(sum r^2 / sum (r - q)^2) of every output, sums over all samples."""
    found = {}
    for name in reference[0]:
        signal = sum(float(np.square(r[name]).sum()) for r in reference)
        noise = sum(float(np.square(r[name] - m[name]).sum()) for r, m in zip(reference, made, strict=True))
        found[name] = 10 * float(np.log10(signal / noise)) if noise > 0 else 200.0
    return found


def agreement(reference: Outputs, made: Outputs, answer: str) -> float:
    """The share of answers (see Model.answer) read off the last output that are those of the float model."""
    name = list(reference[0])[-1]
    read = {"largest": lambda array: array.argmax(-1), "positive": lambda array: array > 0}[answer]
    return float(np.mean([np.mean(read(r[name]) == read(m[name])) for r, m in zip(reference, made, strict=True)]))


def measure(
    model: Model, graph: onnx.ModelProto, samples: Samples, quantizer: Quantizer, reference: Outputs
) -> list[Row]:
    """One row for every calibration subset."""
    rows = []
    for subset in samples.subsets:
        made = outputs(quantizer(graph, list(subset), model.transformer), samples.test)
        share = agreement(reference, made, model.answer) if model.answer else None
        rows.append(Row(tuple(sqnr_db(reference, made).values()), share))
    return rows


def reference_outputs(model: onnx.ModelProto, samples: Samples) -> Outputs:
    """What the float model says."""
    return outputs(float_model(model), samples.test)


def key(graph: onnx.ModelProto, samples: Samples, setting: str) -> str:
    """What a peer's numbers depend on, as one digest."""
    digest = hashlib.sha256(graph.SerializeToString(deterministic=True))
    for sample in _all(samples):
        for name, array in sorted(sample.items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    digest.update(f"{setting} {[version(p) for p in PEERS]}".encode())
    return digest.hexdigest()


def _all(samples: Samples) -> Iterable[Sample]:
    for subset in samples.subsets:
        yield from subset
    yield from samples.test


class Kept:
    """Rows from earlier runs. Those of the peers stay true while model, samples and versions stay the same."""

    def __init__(self) -> None:
        self.file = zoo.cache_folder() / "accuracy.json"

    def get(self, key: str) -> list[Row] | str | None:
        """Rows, or in words why there are none, or None if nothing is known."""
        found = self._read().get(key)
        return [Row(tuple(d), a) for d, a in found] if isinstance(found, list) else found

    def put(self, rows: list[Row] | str, *keys: str) -> None:
        """Written at once, whole or not at all."""
        found = self._read() | dict.fromkeys(keys, rows)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(f"{self.file}.{os.getpid()}")
        scratch.write_text(json.dumps(found))
        scratch.replace(self.file)

    def _read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.read_text()) if self.file.exists() else {}
        return found
