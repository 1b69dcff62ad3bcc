"""Small ONNX models for the tests, what they compute by onnx's reference, and what TVM makes of them once loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import tvm
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from tvm import relax

from qdsl.load import LoadedModel

Array = np.ndarray
Node = onnx.NodeProto
node = helper.make_node


def model(
    nodes: Sequence[Node],
    inputs: Mapping[str, Sequence[int | str | None]],
    outputs: Sequence[str] = ("y",),
    constants: Mapping[str, object] | None = None,
    opset: int = 17,
    dtypes: Mapping[str, int] | None = None,
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """A model of these nodes; floats and lists of floats among `constants` are float32, ints int64."""
    arrays = {name: _array(value) for name, value in (constants or {}).items()}
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(n, (dtypes or {}).get(n, onnx.TensorProto.FLOAT), s) for n, s in inputs.items()],
        [onnx.ValueInfoProto(name=name, type=onnx.TypeProto()) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    domains = {entry.domain for entry in functions}
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in sorted(domains))]
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=8)


def _array(value: object) -> Array:
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def random(*shape: int, seed: int = 0, scale: float = 1.0) -> Array:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def reference(proto: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
    with np.errstate(all="ignore"):
        return [np.asarray(result) for result in ReferenceEvaluator(proto).run(None, dict(feeds))]


def run(loaded: LoadedModel, feeds: Mapping[str, Array]) -> list[Array]:
    """The loaded module's outputs, compiled without optimisation."""
    with tvm.transform.PassContext(opt_level=0):
        executable = relax.build(loaded.module, "llvm")
    machine = relax.VirtualMachine(executable, tvm.cpu())
    result = machine["main"](*(tvm.runtime.tensor(feeds[spec.name]) for spec in loaded.inputs))
    return [item.numpy() for item in ([result] if hasattr(result, "numpy") else result)]


def feeds_for(loaded: LoadedModel, seed: int = 1) -> dict[str, Array]:
    """Normal numbers for float inputs, 0 and 1 for others."""
    rng = np.random.default_rng(seed)
    return {
        spec.name: (
            rng.standard_normal(spec.shape) if spec.dtype.startswith("float") else rng.integers(0, 2, spec.shape)
        ).astype(spec.dtype)
        for spec in loaded.inputs
    }


def bindings(loaded: LoadedModel) -> list[relax.VarBinding]:
    (block,) = loaded.module["main"].body.blocks
    assert isinstance(block, relax.DataflowBlock)
    return list(block.bindings)


def operators(loaded: LoadedModel) -> dict[str, int]:
    """How often each Relax operator occurs; items of tuples are not counted."""
    calls = [binding.value for binding in bindings(loaded) if isinstance(binding.value, relax.Call)]
    return dict(Counter(call.op.name.removeprefix("relax.") for call in calls))
