"""Random small networks: what models are made of, in either layout, with shared values and several outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from tvm import IRModule, relax

from qdsl.passes.rebuild import drop_dead

from ..match.net import Net, constant, nn, shape

Draw = st.DrawFn
op = relax.op


@dataclass
class Drawing:
    """A network in the making; `values` are the tensors that later operators may read."""

    draw: Draw
    net: Net
    layout: str
    values: list[relax.Var]
    weights: list[tuple[tuple[int, ...], relax.Expr]]

    @property
    def axis(self) -> int:
        return self.layout.index("C")

    def pick(self, rank: int | None = None) -> relax.Var:
        known = [v for v in self.values if rank is None or len(shape(v)) == rank]
        return self.draw(st.sampled_from([*known[-3:], known[-1]][::-1]))

    def partner(self, x: relax.Var) -> relax.Var:
        """A value of the same shape, x itself if need be."""
        return self.draw(st.sampled_from([v for v in self.values if shape(v) == shape(x)]))

    def along(self, size: int, spread: float = 1.0) -> relax.Expr:
        """A constant that varies along the channels of a rank-4 value."""
        dims = [1] * 4
        dims[self.axis] = size
        return constant(self.net.rng.standard_normal(dims) * spread)

    def boolean(self) -> bool:
        return self.draw(st.booleans())


def convolution(d: Drawing) -> relax.Var:
    """Normal, depthwise or grouped; any stride and padding; with or without a bias; weights shared now and then."""
    x = d.pick(4)
    channels = shape(x)[d.axis]
    kind = d.draw(st.sampled_from(["normal", "normal", "depthwise", "grouped"]))
    groups = {"normal": 1, "depthwise": channels, "grouped": 2 if channels % 2 == 0 else 1}[kind]
    outputs = channels * d.draw(st.sampled_from([1, 2])) if kind == "depthwise" else groups * d.draw(st.integers(1, 3))
    size = d.draw(st.sampled_from([1, 3]))
    padding = d.draw(st.sampled_from([[0] * 4, [1] * 4, [0, 1, 1, 2]])) if size == 3 else [0] * 4
    least = min(shape(x)[d.layout.index(a)] for a in "HW")
    if size == 3 and least < 3:
        padding = [1] * 4
    kernel_layout = "OIHW" if d.layout == "NCHW" else d.draw(st.sampled_from(["HWIO", "OHWI"]))
    sizes = dict(zip("OIHW", (outputs, channels // groups, size, size), strict=True))
    weight = d.net.const(*(sizes[a] for a in kernel_layout), spread=(channels // groups) ** -0.5 / size)
    shared = [w for dims, w in d.weights if dims == shape(weight)]
    weight = d.draw(st.sampled_from([weight, *shared]))
    d.weights.append((shape(weight), weight))
    call = nn.conv2d(
        x, weight, strides=d.draw(st.sampled_from([1, 2])), padding=padding, groups=groups, data_layout=d.layout,
        kernel_layout=kernel_layout,
    )  # fmt: skip
    y = d.net.emit(call, "conv")
    return d.net.emit(op.add(y, d.along(outputs)), "bias") if d.boolean() else y


def transposed(d: Drawing) -> relax.Var:
    x = d.pick(4)
    channels = shape(x)[d.axis]
    if d.layout != "NCHW" or max(shape(x)) > 9:
        return convolution(d)
    groups = 2 if channels % 2 == 0 and d.boolean() else 1
    size = d.draw(st.sampled_from([2, 3]))
    weight = d.net.const(channels, d.draw(st.integers(1, 3)), size, size, spread=channels**-0.5 / size)
    strides = d.draw(st.sampled_from([1, 2]))
    more = d.draw(st.integers(0, strides - 1))
    return d.net.emit(nn.conv2d_transpose(x, weight, strides=strides, output_padding=more, groups=groups), "deconv")


def norm(d: Drawing) -> relax.Var:
    x = d.pick(4)
    return d.net.batch_norm(x, "norm", d.axis, epsilon=d.draw(st.sampled_from([1e-5, 1e-2])))


def activation(d: Drawing) -> relax.Var:
    x = d.pick()
    kind = d.draw(
        st.sampled_from(["relu", "relu6", "sigmoid", "tanh", "silu", "gelu", "leaky", "prelu", "swish", "hard"])
    )
    if kind == "prelu" and len(shape(x)) == 4:
        slope = constant(d.net.rng.uniform(-0.5, 0.5, shape(x)[d.axis]))
        return d.net.emit(nn.prelu(x, slope, d.axis), kind)
    if kind == "swish":
        return d.net.emit(op.multiply(d.net.emit(op.sigmoid(x), "gate"), x), kind)
    if kind == "hard":
        inner = d.net.emit(op.clip(d.net.emit(op.add(x, constant(3.0)), "three"), 0, 6), "six")
        return d.net.emit(op.multiply(d.net.emit(op.multiply(x, inner), kind), constant(1 / 6)), "sixth")
    simple: dict[str, Callable[[relax.Var], relax.Expr]] = {
        "relu": nn.relu, "relu6": lambda v: op.clip(v, 0, 6), "sigmoid": op.sigmoid, "tanh": op.tanh, "silu": nn.silu,
        "gelu": nn.gelu, "leaky": lambda v: nn.leakyrelu(v, 0.1), "prelu": nn.relu,
    }  # fmt: skip
    return d.net.emit(simple[kind](x), kind)


def of_two(d: Drawing) -> relax.Var:
    x = d.pick()
    pair = [x, d.partner(x)]
    d.draw(st.randoms(use_true_random=False)).shuffle(pair)
    return d.net.emit(d.draw(st.sampled_from([op.add, op.add, op.multiply]))(*pair))


def with_constant(d: Drawing) -> relax.Var:
    x = d.pick(4)
    full = d.boolean()
    value = {
        "one": constant(d.draw(st.sampled_from([0.5, -0.7, 3.0]))),
        "channels": d.along(shape(x)[d.axis]),
        "all": constant(d.net.rng.standard_normal(shape(x)[1:] if full else shape(x))),
    }[d.draw(st.sampled_from(["one", "channels", "all"]))]
    pair = (x, value) if d.boolean() else (value, x)
    return d.net.emit(d.draw(st.sampled_from([op.add, op.multiply]))(*pair), "constant")


def concat(d: Drawing) -> relax.Var:
    x = d.pick(4)
    parts = [x, d.partner(x), *([d.partner(x)] if d.boolean() else [])]
    if d.draw(st.integers(0, 3)) == 0:
        parts.append(d.net.const(*shape(x)))
    return d.net.emit(op.concat(parts, d.axis), "join")


def split(d: Drawing) -> relax.Var:
    x = d.pick(4)
    size = shape(x)[d.axis]
    if size < 2:
        return activation(d)
    cuts: int | list[int] = 2 if size % 2 == 0 else [1]
    if size >= 3 and d.boolean():
        cuts = [1, 2]
    whole = d.net.emit(op.split(x, cuts, d.axis))
    read = d.draw(st.sampled_from([(0,), (1,), (0, 1)]))
    parts = d.net.items(whole, *read)
    d.values += parts[:-1]
    return parts[-1]


def pool(d: Drawing) -> relax.Var:
    x = d.pick(4)
    least = min(shape(x)[d.layout.index(a)] for a in "HW")
    kind = d.draw(st.sampled_from(["max", "average", "adaptive", "mean", "global"]))
    if kind == "mean":
        return d.net.emit(op.mean(x, [d.layout.index(a) for a in "HW"], keepdims=True), kind)
    if kind in ("adaptive", "global") or least < 2:
        goal = 1 if kind == "global" or least < 2 else 2
        return d.net.emit(nn.adaptive_avg_pool2d(x, goal, d.layout), "adaptive")
    attrs = {"pool_size": 2, "strides": d.draw(st.sampled_from([1, 2])), "padding": d.draw(st.sampled_from([0, 1]))}
    if kind == "max":
        return d.net.emit(nn.max_pool2d(x, layout=d.layout, **attrs), kind)
    return d.net.emit(nn.avg_pool2d(x, layout=d.layout, count_include_pad=d.boolean(), **attrs), kind)


def move(d: Drawing) -> relax.Var:
    x = d.pick(4)
    kind = d.draw(st.sampled_from(["pad", "slice", "flat", "there_and_back", "squeeze"]))
    if kind == "pad":
        widths = [0] * 8
        for letter in "HW":
            widths[2 * d.layout.index(letter)] = 1
        return d.net.emit(nn.pad(x, widths, pad_value=d.draw(st.sampled_from([0.0, 1.5]))), kind)
    if kind == "slice":
        axis = d.layout.index("H")
        return d.net.emit(op.strided_slice(x, [axis], [0], [shape(x)[axis]], [2]), kind)
    if kind == "flat":
        return d.net.emit(op.reshape(x, (shape(x)[0], int(np.prod(shape(x)[1:])))), kind)
    if kind == "squeeze":
        return d.net.emit(op.squeeze(d.net.emit(op.expand_dims(x, 0), "expand"), [0]), kind)
    order = [0, 3, 1, 2]
    there = d.net.emit(op.permute_dims(x, order), "there")
    return d.net.emit(op.permute_dims(there, list(np.argsort(order))), "back")


def product(d: Drawing) -> relax.Var:
    x = d.pick()
    inner = shape(x)[-1]
    if d.draw(st.integers(0, 3)) == 0 and len(shape(x)) == 4:
        turned = d.net.emit(op.permute_dims(d.partner(x), [0, 1, 3, 2]), "turned")
        return d.net.emit(op.matmul(x, turned), "scores")
    y = d.net.emit(op.matmul(x, d.net.const(inner, d.draw(st.integers(2, 4)), spread=inner**-0.5)), "dense")
    return d.net.emit(op.add(y, d.net.const(shape(y)[-1])), "bias") if d.boolean() else y


def reader(d: Drawing) -> relax.Var:
    """Something that reads the last value in 8 bits, so that what lies before it is wanted."""
    last = d.values[-1]
    d.values = [v for v in d.values if v is not last] + [last]
    if len(shape(last)) == 4:
        weight = d.net.const(2, shape(last)[d.axis], 1, 1, spread=0.5)
        layout = "OIHW" if d.layout == "NCHW" else "OHWI"
        weight = weight if layout == "OIHW" else constant(np.transpose(weight.value.numpy(), [0, 2, 3, 1]))
        return d.net.emit(nn.conv2d(last, weight, data_layout=d.layout, kernel_layout=layout), "last")
    return d.net.emit(op.matmul(last, d.net.const(shape(last)[-1], 2, spread=0.5)), "last")


MAKERS = [
    activation, of_two, convolution, norm, with_constant, concat, pool, activation, move, convolution, split, of_two,
    product, transposed, norm, pool, convolution,
]  # fmt: skip


@st.composite
def networks(draw: Draw, most: int = 9, layouts: tuple[str, ...] = ("NCHW", "NHWC")) -> IRModule:
    """A network of up to `most` parts over inputs of odd sizes, batch 1 or 3, with one to three outputs."""
    layout = draw(st.sampled_from(layouts))
    net = Net(draw(st.integers(0, 5)))
    sizes = {
        "N": draw(st.sampled_from([1, 3])),
        "C": draw(st.integers(2, 4)),
        "H": draw(st.sampled_from([5, 7])),
        "W": 6,
    }
    inputs = [net.input(*(sizes[a] for a in layout)) for _ in range(draw(st.integers(1, 2)))]
    d = Drawing(draw, net, layout, list(inputs), [])
    if draw(st.booleans()):
        d.values.append(convolution(d))
    for maker in draw(st.lists(st.sampled_from(MAKERS), min_size=2, max_size=most)):
        made = maker(d)
        if int(np.prod(shape(made))) <= 4000:
            d.values.append(made)
        if draw(st.integers(0, 3)) == 0:
            d.values.append(reader(d))
    ends = [v for v in d.values if v not in inputs]
    more = draw(st.lists(st.sampled_from(ends), max_size=2))
    return drop_dead(net.module(*dict.fromkeys([reader(d), *more])))
