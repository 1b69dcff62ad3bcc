"""Fold an ONNX graph whose input shapes are known: one sweep in program order, each node looked at once.

With every input dimension a number, each node's types follow from those before it, so that Shape is a constant, and
with it the Gather, Concat, Unsqueeze, Range, ... that compute a Reshape's target, a Resize's sizes or a Pad's widths.
The importer reads those only as constants. Batch norms are not constant and so stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.inliner import inline_local_functions
from onnx.shape_inference import infer_node_outputs

from qdsl.errors import ModelError
from qdsl.load.evaluate import constant_value, evaluate, shape_value, to_array
from qdsl.load.expand import expand_function
from qdsl.load.graph import Array, FlatGraph, Operator, attribute, static_shape
from qdsl.load.model import InputSpec, SourceOperator
from qdsl.load.names import NameSupply
from qdsl.load.order import in_order
from qdsl.load.read import opset_version

LARGEST_SHOWN = 4096
"""Elements above which a constant is not shown to shape inference: no shape depends on a weight's values."""


def fold(model: onnx.ModelProto, inputs: Sequence[InputSpec], importable: frozenset[str]) -> FlatGraph:
    """The graph with constants computed, constant branches taken and functions expanded.

    `importable` names the operator types that need no expansion into the function body their schema gives.

    Raises:
        ModelError: a local function that cannot be expanded.
    """
    if model.functions:
        try:
            model = inline_local_functions(model)
        except Exception:  # onnx raises its own C++ errors here
            names = ", ".join(function.name for function in model.functions)
            raise ModelError(f"The model's local functions ({names}) cannot be expanded by onnx.") from None
    sweep = _Sweep(model, importable)
    for spec in inputs:
        element = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(spec.dtype))
        sweep.types[spec.name] = onnx.helper.make_tensor_type_proto(element, spec.shape)
    known = [*(value.name for value in model.graph.input), *(tensor.name for tensor in model.graph.initializer)]
    nodes = in_order(model.graph.node, known, [value.name for value in model.graph.output])
    sweep.run(model.graph, nodes)
    outputs = tuple(sweep.resolve(value.name) for value in model.graph.output)
    live = _live(sweep.operators, outputs)
    alive = {operator.name for operator in live}
    return FlatGraph(
        operators=live,
        constants=sweep.constants,
        types=sweep.types,
        outputs=outputs,
        output_names=tuple(value.name for value in model.graph.output),
        every=tuple(replace(source, constant=source.name not in alive) for source in sweep.every),
    )


def _live(operators: Sequence[Operator], outputs: Iterable[str]) -> tuple[Operator, ...]:
    needed, kept = set(outputs), []
    for operator in reversed(operators):
        if not needed.isdisjoint(operator.node.output):
            kept.append(replace(operator, node=_without_unread(operator.node, needed)))
            needed.update(operator.node.input)
    return tuple(reversed(kept))


def _without_unread(node: onnx.NodeProto, needed: Set[str]) -> onnx.NodeProto:
    """The node with the names of outputs that nothing reads left empty, as ONNX marks them; a Split keeps all."""
    if node.op_type == "Split" or all(name in needed for name in node.output):
        return node
    outputs = [name if name in needed else "" for name in node.output]
    while not outputs[-1]:
        outputs.pop()
    slim = onnx.NodeProto()
    slim.CopyFrom(node)
    del slim.output[:]
    slim.output.extend(outputs)
    return slim


class _Sweep:
    """The state of the one pass: what is known of every value so far."""

    def __init__(self, model: onnx.ModelProto, importable: frozenset[str]) -> None:
        self.opset = opset_version(model)
        self.imports = list(model.opset_import)
        self.importable = importable
        self.constants: dict[str, Array] = {}
        self.types: dict[str, onnx.TypeProto] = {}
        self.operators: list[Operator] = []
        self.every: list[SourceOperator] = []
        self._names = NameSupply(node.name for node in model.graph.node)
        self._scoped: dict[str, str] = {}
        self._alias: dict[str, str] = {}

    def resolve(self, name: str) -> str:
        """The value that `name` means where the sweep stands."""
        name = self._scoped.get(name, name)
        return self._alias.get(name, name)

    def run(
        self,
        graph: onnx.GraphProto,
        nodes: Iterable[onnx.NodeProto],
        scope: str = "",
        owner: str | None = None,
        bound: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Sweep the graph's `nodes`, in this order, and return what its outputs resolve to.

        `scope` is put before the names of values inside a branch or function body, which may be taken outside;
        `owner` is the operator that everything inside belongs to, `bound` says what names inside mean outside.
        """
        outside = self._scoped
        self._scoped = {**outside, **(bound or {})}
        for tensor in graph.initializer:
            self._set_constant(self._declare(tensor.name, scope), to_array(tensor))
        for node in nodes:
            self._visit(node, scope, owner)
        results = tuple(self.resolve(value.name) for value in graph.output)
        self._scoped = outside
        return results

    def _declare(self, name: str, scope: str) -> str:
        if not scope or not name:
            return name
        self._scoped[name] = f"{scope}{name}"
        return self._scoped[name]

    def _set_constant(self, name: str, value: Array) -> None:
        self.constants[name] = value
        element = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
        self.types[name] = onnx.helper.make_tensor_type_proto(element, value.shape)

    def _visit(self, original: onnx.NodeProto, scope: str, owner: str | None) -> None:
        node = onnx.NodeProto()
        node.CopyFrom(original)
        inputs = [self.resolve(name) for name in node.input]
        outputs = [self._declare(name, scope) for name in node.output]
        del node.input[:], node.output[:]
        node.input.extend(inputs)
        node.output.extend(outputs)

        if node.op_type == "Constant" and (value := constant_value(node)) is not None:
            self._set_constant(outputs[0], value)
            return
        operator = Operator(owner or self._name(node), node, self.opset)
        if owner is None:
            self.every.append(SourceOperator(operator.name, operator.type))
        if self._take_branch(operator, owner) or self._compute(node) or self._expand(operator):
            return
        self.types.update(self._infer(node))
        self.operators.append(operator)

    def _name(self, node: onnx.NodeProto) -> str:
        return self._names.claim(node.name) if node.name else self._names.fresh(f"{node.op_type}_{len(self.every)}")

    def _take_branch(self, operator: Operator, owner: str | None) -> bool:
        """Replace an If whose condition is constant by the branch taken."""
        node = operator.node
        condition = self.constants.get(node.input[0]) if node.op_type == "If" else None
        if condition is None or condition.size != 1:
            return False
        branch = attribute(node, "then_branch" if condition.item() else "else_branch")
        assert isinstance(branch, onnx.GraphProto)
        self._replace(node, self.run(branch, branch.node, f"{operator.name}/", owner))
        return True

    def _expand(self, operator: Operator) -> bool:
        """Replace an operator that the importer lacks by the body its schema gives."""
        node = operator.node
        if node.op_type in self.importable:
            return False
        body = expand_function(node, self.types, self.imports)
        if body is None:
            return False
        bound = {
            inner.name: outer for inner, outer in zip(body.input, dict.fromkeys(filter(None, node.input)), strict=True)
        }
        scope = f"{operator.name}/{node.output[0]}/"
        self._replace(node, self.run(body, body.node, scope, operator.name, bound))
        return True

    def _replace(self, node: onnx.NodeProto, values: Sequence[str]) -> None:
        self._alias.update(zip((name for name in node.output if name), values, strict=False))

    def _compute(self, node: onnx.NodeProto) -> bool:
        """Record the outputs of a node that depends on nothing but constants."""
        if node.op_type in ("Shape", "Size") and (shape := static_shape(self.types.get(node.input[0]))) is not None:
            self._set_constant(node.output[0], shape_value(node, shape))
            return True
        inputs = [self.constants.get(name) if name else None for name in node.input]
        if any(name and value is None for name, value in zip(node.input, inputs, strict=True)):
            return False
        shape = static_shape(self._infer(node).get(node.output[0]))
        results = evaluate(node, inputs, self.opset, shape)
        if results is None:
            return False
        for name, value in zip((name for name in node.output if name), results, strict=False):
            self._set_constant(name, value)
        return True

    def _infer(self, node: onnx.NodeProto) -> Mapping[str, onnx.TypeProto]:
        """The types of the node's outputs, as far as its schema can tell."""
        known = {name: self.types[name] for name in node.input if name in self.types}
        shown = {
            name: numpy_helper.from_array(self.constants[name], name)
            for name in node.input
            if name in self.constants and self.constants[name].size <= LARGEST_SHOWN
        }
        try:
            schema = onnx.defs.get_schema(node.op_type, self.opset, node.domain)
            return infer_node_outputs(schema, node, known, shown, opset_imports=self.imports)
        except Exception:  # unknown operators and ill-typed nodes: the importer names them
            return {}
