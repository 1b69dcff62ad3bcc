"""SQNR of every output of a quantized model over the test samples, for every calibration subset."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from benchmarks import zoo
from benchmarks.accuracy.cut import Sample, prepared, sample_shapes
from benchmarks.accuracy.models import Model, Samples
from benchmarks.accuracy.tools import Quantizer, float_model, outputs

Outputs = Sequence[Mapping[str, NDArray[np.float64]]]
Decibels = dict[str, float]

PEERS = ("onnxruntime", "openvino", "nncf")


def load(model: Model) -> tuple[onnx.ModelProto, Samples]:
    """A model cut before its final softmax or sigmoid, and its samples. Raises zoo.Unavailable."""
    samples = model.samples()
    return prepared(onnx.load(model.file()), sample_shapes(samples.test[0])), samples


def sqnr_db(reference: Outputs, made: Outputs) -> Decibels:
    """10 log10(sum r^2 / sum (r - q)^2) of every output, sums over all samples."""
    found = {}
    for name in reference[0]:
        signal = sum(float(np.square(r[name]).sum()) for r in reference)
        noise = sum(float(np.square(r[name] - m[name]).sum()) for r, m in zip(reference, made, strict=True))
        found[name] = 10 * float(np.log10(signal / noise)) if noise > 0 else 200.0
    return found


def agreement(reference: Outputs, made: Outputs) -> float:
    """The share of samples, or of places of a map, where the largest number of the last output is the same one."""
    name = list(reference[0])[-1]
    same = [r[name].argmax(-1) == m[name].argmax(-1) for r, m in zip(reference, made, strict=True)]
    return float(np.mean([np.mean(s) for s in same]))


def measure(
    model: onnx.ModelProto, samples: Samples, quantizer: Quantizer, transformer: bool, reference: Outputs
) -> list[Decibels]:
    """The SQNR of every output, for every subset."""
    return [
        sqnr_db(reference, outputs(quantizer(model, list(subset), transformer), samples.test))
        for subset in samples.subsets
    ]


def reference_outputs(model: onnx.ModelProto, samples: Samples) -> Outputs:
    """What the float model says."""
    return outputs(float_model(model), samples.test)


def key(model: onnx.ModelProto, samples: Samples, tool: str) -> str:
    """What a peer's numbers depend on, as one digest."""
    digest = hashlib.sha256(model.SerializeToString(deterministic=True))
    for sample in _all(samples):
        for name, array in sorted(sample.items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    digest.update(f"{tool} {[version(p) for p in PEERS]}".encode())
    return digest.hexdigest()


def _all(samples: Samples) -> Iterable[Sample]:
    for subset in samples.subsets:
        yield from subset
    yield from samples.test


class Kept:
    """Numbers of the peers from earlier runs: they stay the same while model, samples and versions do."""

    def __init__(self) -> None:
        self.file = zoo.cache_folder() / "accuracy.json"
        self.found: dict[str, list[Decibels]] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def get(self, key: str) -> list[Decibels] | None:
        return self.found.get(key)

    def put(self, key: str, rows: list[Decibels]) -> None:
        """Written at once, whole or not at all."""
        self.found[key] = rows
        self.file.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(f"{self.file}.{os.getpid()}")
        scratch.write_text(json.dumps(self.found))
        scratch.replace(self.file)
