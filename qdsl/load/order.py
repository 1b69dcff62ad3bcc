"""The nodes of an ONNX graph in an order in which each reads only what stands before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import onnx

from qdsl.errors import ModelError


def in_order(nodes: Sequence[onnx.NodeProto], known: Iterable[str], outputs: Iterable[str]) -> list[onnx.NodeProto]:
    """The nodes as they stand where that is such an order, else sorted, each as early as its place allows.

    `known` are the names of inputs and weights, `outputs` those of the graph's outputs.

    Raises:
        ModelError: a value that is read and never made, or made from itself.
    """
    made = set(known)
    makers = {name: position for position, node in enumerate(nodes) for name in node.output if name}
    for name in outputs:
        if name not in made and name not in makers:
            raise ModelError(f"The model's output '{name}' is made by no operator.")
    placed: list[onnx.NodeProto] = []
    started: set[int] = set()
    for first in range(len(nodes)):
        # Depth first without recursion: a node waits on the stack until what it reads is placed.
        stack = [first] if first not in started else []
        waiting = set(stack)
        while stack:
            position = stack[-1]
            node = nodes[position]
            missing = next((name for name in _reads(node) if name not in made), None)
            started.add(position)
            if missing is None:
                waiting.discard(stack.pop())
                placed.append(node)
                made.update(name for name in node.output if name)
            elif missing not in makers:
                raise ModelError(f"{_title(node)} reads '{missing}', which no operator makes.")
            elif makers[missing] in waiting:
                raise ModelError(f"{_title(node)} reads '{missing}', which is made from its own result.")
            else:
                stack.append(makers[missing])
                waiting.add(makers[missing])
    return placed


def _reads(node: onnx.NodeProto) -> list[str]:
    """What a node reads, its branches' reads from outside included."""
    names = [name for name in node.input if name]
    for entry in node.attribute:
        if entry.HasField("g"):
            names += _reads_from_outside(entry.g)
    return names


def _reads_from_outside(graph: onnx.GraphProto) -> list[str]:
    inside = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    inside.update(name for node in graph.node for name in node.output)
    return [name for node in graph.node for name in _reads(node) if name not in inside]


def _title(node: onnx.NodeProto) -> str:
    return f"Operator {node.op_type} (node {node.name})" if node.name else f"Operator {node.op_type}"
