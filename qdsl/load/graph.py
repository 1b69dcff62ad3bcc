"""An ONNX graph as loading works on it: flat nodes in order, constants as numpy, every known type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from qdsl.load.model import SourceOperator

Array = np.ndarray


@dataclass(frozen=True)
class Operator:
    """A node under its unique name, with the operator set its type belongs to."""

    name: str
    node: onnx.NodeProto
    opset: int

    @property
    def type(self) -> str:
        """'Conv', or 'com.microsoft.FusedConv' outside the default domain."""
        domain = self.node.domain
        return self.node.op_type if domain in ("", "ai.onnx") else f"{domain}.{self.node.op_type}"


@dataclass(frozen=True)
class FlatGraph:
    """What is left of a model after folding; nothing here depends on a constant computation any more."""

    operators: tuple[Operator, ...]
    """In topological order; those that no output needs are gone."""
    constants: Mapping[str, Array]
    types: Mapping[str, onnx.TypeProto]
    outputs: tuple[str, ...]
    """Value names. An output may also be an input or a constant."""
    output_names: tuple[str, ...]
    """The names the model gives its outputs."""
    every: tuple[SourceOperator, ...]
    """All operators that the model was written with, those that folding made needless marked."""


def static_shape(value: onnx.TypeProto | None) -> tuple[int, ...] | None:
    """The shape of a tensor type whose every dimension is a number, else None."""
    if value is None or not value.HasField("tensor_type") or not value.tensor_type.HasField("shape"):
        return None
    dims = value.tensor_type.shape.dim
    if any(not dim.HasField("dim_value") for dim in dims):
        return None
    return tuple(dim.dim_value for dim in dims)


def attribute(node: onnx.NodeProto, name: str, default: Any = None) -> Any:
    """The Python value of a node's attribute."""
    for entry in node.attribute:
        if entry.name == name:
            return onnx.helper.get_attribute_value(entry)
    return default
