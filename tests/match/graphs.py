"""Random graphs to match in: few shapes, many shared values, so that patterns have something to find."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from tvm import relax

from qdsl.match.graph import Graph

from .net import Net, nn, shape

UNARY = ("nn.relu", "sigmoid", "clip", "reshape", "nn.conv2d", "nn.batch_norm", "split")
BINARY = ("add", "multiply", "concat", "add_constant", "multiply_constant")


@dataclass
class Drawn:
    """A graph, with the values that patterns may be cut from."""

    graph: Graph
    roots: list[relax.Var]
    """Variables bound to calls of operators, in program order."""


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Drawn:
    """A function of up to `most` operators over (1, 4, 3, 3) tensors; the last value and a few others are outputs."""
    net = Net(draw(st.integers(0, 3)))
    values = [net.input(1, 4, 3, 3), net.input(1, 4, 3, 3)]
    weights = [net.const(4, 4, 1, 1) for _ in range(2)]
    scalars = [relax.const(v, "float32") for v in (0.0, 3.0, 6.0)] + [net.const(1, 4, 1, 1)]
    for _ in range(draw(st.integers(2, most))):
        values += _operator(draw, net, values, weights, scalars)
    outputs = draw(st.lists(st.sampled_from(values[2:]), max_size=2))
    graph = net.graph(*dict.fromkeys([*outputs, values[-1]]))
    return Drawn(graph, [b.var for b in graph.bindings if isinstance(b.value, relax.Call)])


def _operator(
    draw: st.DrawFn, net: Net, values: list[relax.Var], weights: list[relax.Expr], scalars: list[relax.Expr]
) -> list[relax.Var]:
    op = draw(st.sampled_from(UNARY + BINARY))
    x = draw(st.sampled_from(values[-5:]))
    if op == "nn.conv2d":
        return [net.emit(nn.conv2d(x, draw(st.sampled_from(weights)), strides=draw(st.sampled_from([1, 1]))))]
    if op == "nn.batch_norm":
        return [net.batch_norm(x, training=draw(st.booleans()))]
    if op == "split":
        whole = net.emit(relax.op.concat([x, draw(st.sampled_from(values))], 1))
        return net.items(net.emit(relax.op.split(whole, 2, 1)), *draw(st.sampled_from([(0,), (1,), (0, 1)])))
    if op == "clip":
        return [net.emit(relax.op.clip(x, 0, draw(st.sampled_from([6, 3]))))]
    if op == "reshape":
        return [net.emit(relax.op.reshape(x, shape(x)))]
    if op in ("add_constant", "multiply_constant"):
        c = draw(st.sampled_from(scalars))
        pair = (x, c) if draw(st.booleans()) else (c, x)
        return [net.emit(getattr(relax.op, op.split("_")[0])(*pair))]
    if op == "concat":
        whole = net.emit(relax.op.concat([x, draw(st.sampled_from(values))], 1))
        return net.items(net.emit(relax.op.split(whole, 2, 1), "halves"), 0)
    if op in ("nn.relu", "sigmoid"):
        return [net.emit(nn.relu(x) if op == "nn.relu" else relax.op.sigmoid(x))]
    return [net.emit(getattr(relax.op, op)(x, draw(st.sampled_from(values))))]
