"""Where a result comes from: digests of what went in and came out, versions, the command."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import onnx
from tvm import IRModule, ir

from qdsl.calibrate.calibration import Calibration
from qdsl.environment import versions


def digest(*parts: bytes) -> str:
    """SHA-256 of some bytes, in hex."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part)
    return sha.hexdigest()


def digest_of_model(model: object) -> str | None:
    """The digest of a model file, an ONNX model or a module."""
    if isinstance(model, str | Path):
        return digest(Path(model).read_bytes())
    if isinstance(model, onnx.ModelProto):
        return digest(model.SerializeToString(deterministic=True))
    return digest_of_module(model) if isinstance(model, IRModule) else None


def digest_of_module(module: IRModule) -> str:
    """The digest of a module with its constants."""
    return digest(str(ir.save_json(module)).encode())


def digest_of_texts(texts: Mapping[str, str] | Iterable[str]) -> str:
    """The digest of rule files, in the order in which they were read."""
    values = texts.values() if isinstance(texts, Mapping) else texts
    return digest(*(t.encode() for t in values))


def command_line() -> str:
    """The command that runs, with the program's own path left out."""
    program = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    return " ".join([program, *sys.argv[1:]])


def digest_of_calibration(calibration: Calibration) -> str:
    """The digest of what was observed: count, extremes and histogram of every value, whatever the order of samples."""
    parts: list[bytes] = []
    for name, sketch in sorted(calibration.sketches.items()):
        parts.append(f"{name} {sketch.count} {sketch.minimum!r} {sketch.maximum!r}".encode())
        if sketch.histogram is not None:
            parts.append(sketch.histogram.counts.tobytes())
    return digest(*parts)


def provenance(**digests: Any) -> dict[str, Any]:
    """The entry of report.json. Nothing in qdsl is random, so the seed is 0."""
    return {"command": command_line(), "versions": versions(), "seed": 0, "sha256": digests}
