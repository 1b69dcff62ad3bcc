"""The calls of `main` as nodes of a graph: what each computes, on what, and who reads it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from tvm import ir, relax
from tvm.ir import IRModule

from qdsl.lower.layout.calls import shape_of


class Kind(IntEnum):
    """What a PrimFunc does, in TVM's numbers."""

    ELEMENTWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    """Each element of the result is one of the operand's, in another order: transpositions, slices, concatenation."""
    REDUCTION = 3
    ANCHOR = 4
    """A convolution or product: elementwise calls may follow it inside the same kernel."""
    OPAQUE = 8


@dataclass
class Node:
    """One binding `variable = call_tir(function, operands)`; or something else, which is opaque."""

    index: int
    variable: relax.Var
    value: relax.Expr
    kind: Kind
    shape: tuple[int, ...]
    dtype: str
    operands: list[Node] = field(default_factory=list)
    """The nodes among its tensor operands, each once."""
    readers: list[Node] = field(default_factory=list)
    is_output: bool = False
    """Whether something other than a node reads it."""

    @property
    def elements(self) -> int:
        """How many elements the result has."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes of the result."""
        digits = "".join(character for character in self.dtype if character.isdigit())
        return self.elements * max(1, int(digits or 8) // 8)

    @property
    def is_pointwise(self) -> bool:
        """Whether each element of the result comes from one place of each operand."""
        return self.kind <= Kind.BROADCAST


def read_nodes(module: IRModule, function: relax.Function) -> list[Node]:
    """All bindings of `function`, in order."""
    nodes: list[Node] = []
    by_variable: dict[relax.Expr, Node] = {}
    for block in function.body.blocks:
        for binding in block.bindings:
            node = _node(module, len(nodes), binding)
            for operand in _operands(node.value):
                source = by_variable.get(operand)
                if source is None:
                    continue
                if node.kind == Kind.OPAQUE:
                    source.is_output = True
                elif source not in node.operands:
                    node.operands.append(source)
                    source.readers.append(node)
            nodes.append(node)
            by_variable[binding.var] = node
    for result in _variables([function.body.body]):
        if result in by_variable:
            by_variable[result].is_output = True
    return nodes


def _node(module: IRModule, index: int, binding: relax.Binding) -> Node:
    value, shape = binding.value, shape_of(binding.var)
    kind = Kind.OPAQUE
    if shape is not None and is_call_tir(value) and len(value.args) == 2:
        attrs = module[value.args[0]].attrs
        pattern = int(attrs["op_pattern"]) if attrs and "op_pattern" in attrs else Kind.OPAQUE
        kind = Kind(pattern) if pattern in list(Kind) else Kind.OPAQUE
    dtype = str(binding.var.ty.dtype.dtype) if shape is not None else ""
    return Node(index, binding.var, value, kind, shape or (), dtype)


def is_call_tir(value: relax.Expr) -> bool:
    """Whether an expression calls a PrimFunc."""
    return isinstance(value, relax.Call) and isinstance(value.op, ir.Op) and value.op.name == "relax.call_tir"


def _operands(value: relax.Expr) -> list[relax.Var]:
    return _variables(value.args[1:] if is_call_tir(value) else [value])


def _variables(values: Sequence[relax.Expr]) -> list[relax.Var]:
    found: list[relax.Var] = []
    for value in values:
        if isinstance(value, relax.Var):
            found.append(value)
        elif isinstance(value, relax.Tuple):
            found += _variables(value.fields)
        elif isinstance(value, relax.Call):
            found += _variables(value.args)
        elif isinstance(value, relax.TupleGetItem):
            found += _variables([value.tuple_value])
    return found
