"""Small Relax functions, built operator by operator, as a loaded model looks: one dataflow block, constants bound, the
origin of each operator in its span."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tvm import IRModule, ir, relax

from qdsl.match.graph import Graph, operator_name
from qdsl.passes.rebuild import main_graph, node_span

nn = relax.op.nn


class Net:
    """Emits operators; `module` closes the function. Constants come from one seeded generator."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.builder = relax.BlockBuilder()
        self.inputs: list[relax.Var] = []
        self.bindings: list[relax.VarBinding] = []
        self.names: set[str] = set()

    def input(self, *shape: int, name: str = "x", dtype: str = "float32") -> relax.Var:
        var = relax.Var(self._fresh(name), relax.TensorType(shape, dtype))
        self.inputs.append(var)
        return var

    def const(self, *shape: int, spread: float = 1.0) -> relax.Expr:
        """Random numbers around 0."""
        return relax.const((self.rng.standard_normal(shape) * spread).astype("float32"))

    def emit(self, call: relax.Expr, name: str | None = None) -> relax.Var:
        """Binds a call; its origin is the name."""
        name = self._fresh(name or (operator_name(call) or "value").split(".")[-1])
        if isinstance(call, relax.Call):
            call = relax.Call(call.op, call.args, attrs=call.attrs, ty_args=call.ty_args, span=node_span(name))
        normal = self.builder.normalize(call)
        var = relax.DataflowVar(name, normal.ty)
        self.bindings.append(relax.VarBinding(var, normal))
        return var

    def items(self, whole: relax.Var, *indices: int) -> list[relax.Var]:
        """Results of an operator with several, each bound to `NAME_INDEX`."""
        return [self.emit(relax.TupleGetItem(whole, i), f"{whole.name}_{i}") for i in indices]

    def conv(self, x: relax.Var, outputs: int, kernel: int = 1, name: str | None = None, **attrs: object) -> relax.Var:
        """An NCHW convolution with weights of its own, padded to keep the size where it has no stride."""
        channels = int(x.ty.shape[1])
        groups = int(attrs.get("groups", 1))  # type: ignore[call-overload]
        weight = self.const(outputs, channels // groups, kernel, kernel, spread=(channels // groups) ** -0.5 / kernel)
        return self.emit(nn.conv2d(x, weight, **{"padding": kernel // 2, **attrs}), name)

    def batch_norm(self, x: relax.Var, name: str | None = None, axis: int = 1, **attrs: object) -> relax.Var:
        """An inference batch norm with parameters away from 0 and 1; its first result."""
        size = int(x.ty.shape[axis])
        gamma, beta, mean = (self.const(size, spread=0.5) for _ in range(3))
        var = relax.const(self.rng.uniform(0.3, 2.0, size).astype("float32"))
        call = nn.batch_norm(x, gamma, beta, mean, var, axis=axis, **{"training": False, **attrs})
        return self.items(self.emit(call, name or "norm"), 0)[0]

    def module(self, *outputs: relax.Var) -> IRModule:
        """The function `main` that returns these values, their names kept."""
        published = {v: relax.Var(str(v.name), v.ty) for v in outputs if v not in self.inputs}
        bindings = [
            relax.VarBinding(published.get(b.var, b.var), self.builder.normalize(_renamed(b.value, published)))
            for b in self.bindings
        ]
        result = [published.get(o, o) for o in outputs]
        whole = result[0] if len(result) == 1 else relax.Tuple(result)
        body = self.builder.normalize(relax.SeqExpr([relax.DataflowBlock(bindings)], self.builder.normalize(whole)))
        function = relax.Function(self.inputs, body, body.ty, True).with_attr("global_symbol", "main")
        return IRModule({ir.GlobalVar("main"): function})

    def graph(self, *outputs: relax.Var) -> Graph:
        return main_graph(self.module(*outputs))

    def _fresh(self, name: str) -> str:
        made, count = name, 1
        while made in self.names:
            made, count = f"{name}{count}", count + 1
        self.names.add(made)
        return made


def _renamed(value: relax.Expr, names: dict[relax.Var, relax.Var]) -> relax.Expr:
    from qdsl.passes.rebuild import with_operands

    return with_operands(value, lambda o, _: names.get(o, o) if isinstance(o, relax.Var) else o)


def named(graph: Graph, name: str) -> relax.Var:
    """The variable of this name."""
    return next(v for v in [*graph.function.params, *graph.order] if str(v.name) == name)


def constant(array: ArrayLike) -> relax.Expr:
    return relax.const(np.asarray(array, "float32"))


def shape(value: relax.Expr) -> tuple[int, ...]:
    return tuple(int(d) for d in value.ty.shape)


def operators(module: IRModule) -> list[str]:
    """The operator of each binding that is a call, in order."""
    names = [operator_name(b.value) for b in main_graph(module).bindings]
    return [n for n in names if n is not None]


def arrays(shapes: Sequence[tuple[int, ...]], seed: int = 0) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(s).astype("float32") for s in shapes]
