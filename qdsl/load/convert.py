"""Convert a folded ONNX graph to a draft, node by node, with TVM's converters and a few of our own.

TVM's importer emits into one long block and prints when it fails. Here every node gets a block of its own, so that what
it emits is known to be its own, and a failure names the node.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Sequence

import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import onnx_frontend as frontend

from qdsl.errors import ModelError
from qdsl.load.converters import CONVERTERS, Converter
from qdsl.load.converters.refused import check_result, refuse_attributes
from qdsl.load.draft import Binding, Draft
from qdsl.load.graph import FlatGraph, Operator
from qdsl.load.model import InputSpec
from qdsl.load.operands import constant
from qdsl.load.origin import first_sentence

CONTRIBUTED = frozenset(
    {"Gelu", "FastGelu", "BiasGelu", "SkipLayerNormalization", "EmbedLayerNormalization", "Attention"}
)
"""What TVM imports of the domain com.microsoft."""


ONLY_CONTRIBUTED = CONTRIBUTED - {"Gelu"}
"""Those of them whose namesake in the default domain, if any, is another operator."""


def importable() -> frozenset[str]:
    """The operator types of the default domain that can be converted."""
    return frozenset(frontend._get_convert_map()) - ONLY_CONTRIBUTED | frozenset(CONVERTERS)


def convert(graph: FlatGraph, inputs: Sequence[InputSpec]) -> Draft:
    """The graph as Relax bindings; `inputs` name the parameters' variables.

    Raises:
        ModelError: naming every operator without a converter, or the first node whose conversion fails.
    """
    refuse_unsupported(graph.operators)
    return _Conversion(graph, inputs).run()


def refuse_unsupported(operators: Sequence[Operator]) -> None:
    """Raise ModelError naming all operators that nothing converts."""
    known = importable()
    missing: dict[str, list[str]] = {}
    for operator in operators:
        node = operator.node
        ours = node.domain in ("", "ai.onnx") and node.op_type in known
        if not ours and not (node.domain == "com.microsoft" and node.op_type in CONTRIBUTED):
            missing.setdefault(operator.type, []).append(operator.name)
    if not missing:
        return
    lines = [f"{kind} (node {_some(nodes)}): {_why(kind)}" for kind, nodes in missing.items()]
    if len(lines) == 1:
        raise ModelError(f"qdsl cannot import operator {lines[0]}.")
    raise ModelError("qdsl cannot import these operators:\n" + "\n".join(f"  {line}" for line in lines))


def _why(kind: str) -> str:
    if kind == "If":
        return "its condition depends on the model's inputs"
    if kind in ("Loop", "Scan"):
        return "it is a loop, and qdsl needs a graph without control flow"
    return "Relax has no importer for it"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class _Conversion:
    def __init__(self, graph: FlatGraph, inputs: Sequence[InputSpec]) -> None:
        self.graph = graph
        self.builder = relax.BlockBuilder()
        self.inputs = tuple(relax.Var(s.variable, relax.TensorType(s.shape, s.dtype)) for s in inputs)
        self.values: dict[str, object] = {spec.name: var for spec, var in zip(inputs, self.inputs, strict=True)}
        self.bindings: list[Binding] = []

    def run(self) -> Draft:
        for operator in self.graph.operators:
            self._convert(operator)
        outputs = tuple(self._leaf(name) for name in self.graph.outputs)
        kernels = {var.name_hint: function for var, function in self.builder.get().functions.items()}
        return Draft(self.inputs, tuple(self.bindings), outputs, kernels)

    def _value(self, name: str) -> object:
        """What the converters get for an ONNX value; a constant used often stays one object."""
        if name not in self.values:
            self.values[name] = constant(self.graph.constants[name])
        return self.values[name]

    def _leaf(self, name: str) -> relax.Expr:
        value = self._value(name)
        if isinstance(value, relax.Var | tvm.ir.GenericConst) and isinstance(value.ty, relax.TensorType):
            return value
        raise ModelError(f"Output '{name}' is not a tensor, and qdsl handles tensors only.")

    def _convert(self, operator: Operator) -> None:
        node = operator.node
        self.builder._begin_dataflow_block()
        try:
            arguments = frontend.onnx_input(self._value(name) if name else None for name in node.input)
            result = self._call_converter(operator, arguments)
            results = [self._emitted(item) for item in _results_of(self.builder, result, len(node.output))]
            for name, item in zip(node.output, results, strict=False):
                if name:
                    check_result(item, self.graph.types.get(name))
        except Exception as error:  # the converters raise whatever they like
            raise ModelError(
                f"qdsl cannot import operator {operator.type} (node {operator.name}): {first_sentence(error)}"
            ) from error
        finally:
            block = self.builder._end_block()
        self.bindings += [Binding(binding.var, binding.value, operator.name) for binding in block.bindings]
        self.values.update((name, item) for name, item in zip(node.output, results, strict=False) if name)

    def _call_converter(self, operator: Operator, arguments: list[object]) -> object:
        node = operator.node
        attributes = {entry.name: _attribute(entry) for entry in node.attribute}
        attributes["tvm_custom"] = {"name": operator.name, "num_outputs": len(node.output)}
        ours: Converter | None = CONVERTERS.get(node.op_type)
        refuse_attributes(node.op_type, attributes)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if ours is not None and node.domain in ("", "ai.onnx"):
                result = ours(self.builder, arguments, attributes, operator.opset)
                if result is not None:
                    return result
            theirs = frontend._get_convert_map()[node.op_type].get_converter(operator.opset)
            return theirs(self.builder, arguments, attributes, [self.values, {}])

    def _emitted(self, item: object) -> object:
        """A Call bound to a variable within this node's block; anything else as it is."""
        if isinstance(item, relax.Call | relax.TupleGetItem):
            return self.builder.emit(item)
        return item


def _results_of(builder: relax.BlockBuilder, result: object, wanted: int) -> list[object]:
    """The node's outputs out of what its converter returned: one value, a Tuple, or a call that makes a tuple."""
    if isinstance(result, relax.Expr) and not isinstance(result, relax.Tuple):
        result = builder.normalize(result)
    if isinstance(result, relax.Tuple):
        items = list(builder.normalize(result).fields)
    elif isinstance(getattr(result, "ty", None), relax.TupleType):
        bound = builder.emit(result)
        items = [relax.TupleGetItem(bound, index) for index in range(len(bound.ty.fields))]
    else:
        items = [result]
    if len(items) < wanted:
        raise ValueError(f"it has {wanted} outputs, and Relax's importer makes {len(items)}.")
    return items


def _attribute(entry: onnx.AttributeProto) -> object:
    value = onnx.helper.get_attribute_value(entry)
    return tuple(value) if isinstance(value, list) else value
