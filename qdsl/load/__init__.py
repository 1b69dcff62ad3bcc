"""Load models: ONNX files and Relax modules, brought into one canonical form."""

from __future__ import annotations

from qdsl.load.load import load_model
from qdsl.load.model import InputSpec, LoadedModel, SourceOperator

__all__ = ["InputSpec", "LoadedModel", "SourceOperator", "load_model"]
