"""Read an ONNX file into a ModelProto that is known to be whole, or say in one sentence why it is not."""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx.external_data_helper import uses_external_data

from qdsl.errors import ModelError


def read_onnx(path: str | Path) -> onnx.ModelProto:
    """The model in `path`, with external data loaded from beside it.

    Raises:
        ModelError: no such file, not an ONNX model, cut short, or external data missing.
    """
    file = Path(path)
    if file.is_dir():
        raise ModelError(f"{file} is a folder; give the .onnx file inside it.")
    if not file.exists():
        raise ModelError(f"There is no file {file}.")
    try:
        model = onnx.load(str(file), load_external_data=False)
    except DecodeError:
        raise ModelError(f"{file} is not an ONNX model, or it is cut short.") from None
    except OSError as error:
        raise ModelError(f"{file} cannot be read: {error.strerror or error}.") from None
    except Exception:  # protobuf's other parse failures (text formats chosen by suffix among them)
        raise ModelError(f"{file} is not an ONNX model in the binary format.") from None
    check_model(model, str(file))
    _load_external(model, file)
    return model


def check_model(model: onnx.ModelProto, where: str = "The model") -> None:
    """Refuse what decodes as a ModelProto and yet is none: other protobuf files, and models without a graph.

    Raises:
        ModelError: with one sentence.
    """
    if not model.ir_version or not model.HasField("graph"):
        raise ModelError(f"{where} is not an ONNX model, or it is cut short.")
    if not model.graph.node:
        raise ModelError(f"{where} has an empty graph: it has no operators.")
    if not model.graph.output:
        raise ModelError(f"{where} has no outputs.")
    if model.graph.sparse_initializer:
        raise ModelError(f"{where} keeps weights in sparse form, which qdsl does not read; save them as dense tensors.")
    newest = onnx.defs.onnx_opset_version()
    version = opset_version(model)
    if version > newest:
        raise ModelError(
            f"{where} uses ONNX operator set {version}, and the installed onnx package ({onnx.__version__}) knows "
            f"sets up to {newest}; upgrade onnx, or export the model with opset_version={newest} or lower."
        )


def opset_version(model: onnx.ModelProto) -> int:
    """The version of the default operator set; 1 where the model (older than IR version 3) names none."""
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    return max(versions, default=1)


def refuse_external(model: onnx.ModelProto) -> None:
    """Raise ModelError for a model in memory whose weights lie in a file: nothing tells in which folder."""
    files = _external_files(model)
    if files:
        raise ModelError(
            f"The model keeps its weights in {', '.join(files)}; give the path of its .onnx file instead of the model, "
            f"or load it with its external data."
        )


def _load_external(model: onnx.ModelProto, file: Path) -> None:
    files = _external_files(model)
    if not files:
        return
    try:
        onnx.load_external_data_for_model(model, str(file.parent))
    except Exception:  # onnx raises several kinds, some without text
        raise ModelError(
            f"{file} keeps its weights in {', '.join(files)}, which cannot be read beside it; "
            f"put the file into the folder {file.parent}, or save the model as one file."
        ) from None


def _external_files(model: onnx.ModelProto) -> list[str]:
    external = [tensor for tensor in _tensors(model) if uses_external_data(tensor)]
    return sorted({entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"})


def _tensors(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    attributes = [attribute for node in model.graph.node for attribute in node.attribute]
    return [*model.graph.initializer, *(attribute.t for attribute in attributes if attribute.HasField("t"))]
