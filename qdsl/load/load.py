"""Load a model: read, fix shapes, fold, convert, bring into canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
from tvm import ir

from qdsl.errors import ModelError
from qdsl.load.canonical import canonicalize
from qdsl.load.convert import convert, importable
from qdsl.load.declared import declared_inputs
from qdsl.load.draft import build
from qdsl.load.fold import fold
from qdsl.load.model import LoadedModel
from qdsl.load.names import NameSupply, variable_name
from qdsl.load.read import check_model, read_onnx, refuse_external
from qdsl.load.relax_module import draft_of_module
from qdsl.load.shapes import fix_shapes

Shapes = Mapping[str, Sequence[int]]


def load_model(
    model: str | Path | onnx.ModelProto | ir.IRModule,
    *,
    shapes: Shapes | None = None,
    sample_shapes: Shapes | None = None,
    params: Mapping[str, Any] | None = None,
) -> LoadedModel:
    """The model as a canonical Relax module with every shape known and every weight bound.

    Args:
        model: the path of an .onnx file, an ONNX model, or a Relax module.
        shapes: the shape of inputs that the model leaves open.
        sample_shapes: the shapes of calibration data, for open dimensions behind the first that `shapes` leaves out.
        params: the weights of a Relax module whose `main` takes them as parameters, by name.

    Raises:
        ModelError: a file that cannot be read, an open shape, or an operator that cannot be imported.
    """
    if isinstance(model, ir.IRModule):
        return _load_relax(model, shapes, sample_shapes, params)
    if params is not None:
        raise ModelError("params= belongs to a Relax module; an ONNX model carries its own weights.")
    if isinstance(model, str | Path):
        return _load_onnx(read_onnx(model), Path(model).stem, shapes, sample_shapes)
    if isinstance(model, onnx.ModelProto):
        check_model(model)
        refuse_external(model)
        return _load_onnx(model, model.graph.name, shapes, sample_shapes)
    raise ModelError(
        f"A model is the path of an .onnx file, an onnx.ModelProto or a tvm.ir.IRModule, not {type(model).__name__}."
    )


def _load_onnx(model: onnx.ModelProto, name: str, shapes: Shapes | None, sample_shapes: Shapes | None) -> LoadedModel:
    names = NameSupply()
    inputs = tuple(
        replace(spec, variable=names.fresh(variable_name(spec.name)))
        for spec in fix_shapes(declared_inputs(model.graph), shapes, sample_shapes)
    )
    graph = fold(model, inputs, importable())
    draft = canonicalize(convert(graph, inputs))
    return LoadedModel(build(draft), inputs, graph.output_names, graph.every, name)


def _load_relax(
    module: ir.IRModule, shapes: Shapes | None, sample_shapes: Shapes | None, params: Mapping[str, Any] | None
) -> LoadedModel:
    draft, inputs, outputs, operators = draft_of_module(module, params, shapes, sample_shapes)
    return LoadedModel(build(canonicalize(draft)), inputs, outputs, operators)
