"""What loading a model yields: a canonical Relax module and how it relates to the file it came from."""

from __future__ import annotations

from dataclasses import dataclass

from tvm import ir


@dataclass(frozen=True)
class InputSpec:
    """One input of the model, with the shape it was fixed to."""

    name: str
    """The name in the user's model, not the Relax variable's."""
    shape: tuple[int, ...]
    dtype: str
    variable: str = ""
    """The name of the parameter of `main`."""
    dynamic_dims: tuple[int, ...] = ()
    """Positions whose size the model leaves open and loading chose."""


@dataclass(frozen=True)
class SourceOperator:
    """One operator of the user's model, in the model's order."""

    name: str
    """Unique within the model; made from the type and position where the model gives none."""
    op: str
    """The type in the model's own vocabulary: 'Conv' for ONNX, 'nn.conv2d' for Relax."""
    constant: bool = False
    """Computed while loading, because nothing it reads depends on the model's inputs."""


@dataclass(frozen=True)
class LoadedModel:
    """A model whose module has one function `main` of one dataflow block in canonical form.

    Every bound Call and TupleGetItem carries a span whose source name is the operator it came from.
    """

    module: ir.IRModule
    inputs: tuple[InputSpec, ...]
    outputs: tuple[str, ...]
    operators: tuple[SourceOperator, ...]
    name: str = ""

    @property
    def batch_dynamic(self) -> bool:
        """Whether the model itself takes any number of samples along the first dimension of every input."""
        return bool(self.inputs) and all(0 in spec.dynamic_dims for spec in self.inputs)
