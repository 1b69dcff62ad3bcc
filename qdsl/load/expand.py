"""Expand one ONNX operator into the function body that its schema defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
from onnx.inliner import inline_selected_functions


def expand_function(
    node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto], imports: Sequence[onnx.OperatorSetIdProto]
) -> onnx.GraphProto | None:
    """A graph of simpler operators that computes `node`, its inputs those of the node in order, or None.

    None where the operator is primitive, is unknown, or its body depends on types that are not known.
    """
    present = [name for name in node.input if name]
    if any(name not in types for name in present):
        return None
    alone = _with_defaults(node, imports)
    renamed = {name: f"in{position}" for position, name in enumerate(dict.fromkeys(present))}
    del alone.input[:]
    alone.input.extend(renamed.get(name, "") for name in node.input)
    untyped = onnx.TypeProto()
    model = onnx.ModelProto(
        ir_version=min(10, onnx.IR_VERSION),
        opset_import=imports,
        graph=onnx.GraphProto(
            name="expand",
            node=[alone],
            input=[onnx.ValueInfoProto(name=inner, type=types[outer]) for outer, inner in renamed.items()],
            output=[onnx.ValueInfoProto(name=name, type=untyped) for name in node.output if name],
        ),
    )
    try:
        body = inline_selected_functions(model, [(node.domain, node.op_type)], inline_schema_functions=True).graph
    except Exception:  # no schema, or a body that onnx cannot build for these types
        return None
    expanded = all(inner.op_type != node.op_type for inner in body.node)
    return body if expanded else None


def _with_defaults(node: onnx.NodeProto, imports: Sequence[onnx.OperatorSetIdProto]) -> onnx.NodeProto:
    """A copy of `node` that says every attribute that has a default: a body that refers to one left out is invalid."""
    full = onnx.NodeProto()
    full.CopyFrom(node)
    versions = {entry.domain: entry.version for entry in imports}
    try:
        schema = onnx.defs.get_schema(node.op_type, versions.get(node.domain, 1), node.domain)
    except onnx.defs.SchemaError:
        return full
    said = {entry.name for entry in node.attribute}
    for name, attribute in schema.attributes.items():
        if name not in said and attribute.default_value.type:
            full.attribute.append(attribute.default_value)
    return full
