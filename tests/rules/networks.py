"""Small networks of the kinds that real models are made of, and the rules that have to take their operators."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Network:
    text: str
    rules: str
    """The rules that have to take its operators, in program order; `-` for one that stays in float."""
    spread: float = 1.0
    """Of the model's inputs."""


X = "x: float32[1, 4, 8, 8]\n"
W = "w: const float32[4, 4, 3, 3]\nv: const float32[4, 4, 1, 1]\nb: const float32[1, 4, 1, 1]\n"
P = "padding=[1, 1, 1, 1]"
NORM = "gamma: const float32[4]\nbeta: const float32[4]\nmu: const float32[4]\nvar: const float32[4]\n"
BN = "gamma, beta, mu, 0.5 + square(var), axis=1, epsilon=0.01, training=False"

NETWORKS = {
    "convolution, bias, relu": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\ns = add(c, b)\nr = nn.relu(s)\ny = nn.conv2d(r, v)",
        "convolution bias_add relu convolution",
    ),
    "residual add, the accumulator first": Network(
        f"{X}{W}r = nn.relu(nn.conv2d(x, w, {P}))\nc = nn.conv2d(r, w, {P})\ns = add(c, r)\ny = nn.conv2d(s, v)",
        "convolution relu convolution residual_add_onto_accumulator convolution",
    ),
    "residual add, the accumulator second": Network(
        f"{X}{W}r = nn.relu(nn.conv2d(x, w, {P}))\nc = nn.conv2d(r, w, {P})\ns = add(r, c)\ny = nn.conv2d(s, v)",
        "convolution relu convolution residual_add_onto_accumulator convolution",
    ),
    "residual add of two large sums": Network(
        f"{X}{W}l = nn.conv2d(x, w, {P})\nr = nn.conv2d(multiply(x, 50), w, {P})\ns = nn.relu(add(l, r))\n"
        "y = nn.conv2d(s, v)",
        "convolution - convolution residual_add_onto_accumulator relu convolution",
    ),
    "two matches that touch": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\na = add(c, x)\nr = nn.relu(a)\nd = nn.conv2d(r, w, {P})\ne = add(d, r)\n"
        "y = nn.conv2d(nn.relu(e), v)",
        "convolution residual_add_onto_accumulator relu convolution residual_add_onto_accumulator relu convolution",
    ),
    "a swish, the gate first": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\ng = multiply(sigmoid(c), c)\ny = nn.conv2d(g, v)",
        "convolution swish swish convolution",
    ),
    "a gate of another branch": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\nd = nn.conv2d(x, v)\ns = sigmoid(d)\ng = multiply(s, c)\ny = nn.conv2d(g, v)",
        "convolution convolution curve multiply convolution",
    ),
    "squeeze and excite": Network(
        f"{X}{W}c = nn.relu(nn.conv2d(x, w, {P}))\nm = mean(c, axis=[2, 3], keepdims=True)\n"
        "e = nn.relu(nn.conv2d(m, v))\nh = multiply(clip(add(nn.conv2d(e, v), 3), 0, 6), 0.16666667)\n"
        "g = multiply(c, h)\ny = nn.conv2d(g, v)",
        "convolution relu mean convolution relu convolution bias_add clip multiply scale_by_constant convolution",
    ),
    "a hard sigmoid": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\nm = nn.relu(c)\nh = clip(add(multiply(m, 0.2), 0.5), 0, 1)\n"
        "y = nn.conv2d(h, v)",
        "convolution relu scale_by_constant bias_add clip convolution",
    ),
    "a hard swish and its sixth": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\nm = multiply(c, clip(add(c, 3), 0, 6))\nh = multiply(m, 0.16666667)\n"
        "y = nn.conv2d(h, v)",
        "convolution hardswish hardswish hardswish scale_by_constant convolution",
    ),
    "a value used three times": Network(
        f"{X}{W}d = nn.conv2d(x, w, {P})\nr = nn.relu(d)\na = nn.conv2d(r, v)\nc = nn.conv2d(r, w, {P})\n"
        "s = add(r, a)\ny = nn.conv2d(s, v)",
        "convolution relu convolution convolution residual_add_onto_accumulator convolution",
    ),
    "one weight and one bias for two inputs": Network(
        f"{X}{W}l = add(nn.conv2d(x, w, {P}), b)\nr = add(nn.conv2d(multiply(x, 4), w, {P}), b)\n"
        "y = nn.conv2d(nn.relu(add(l, r)), v)",
        "convolution bias_add - convolution bias_add residual_add_onto_accumulator relu convolution",
    ),
    "a join of parts of very different ranges": Network(
        f"{X}{W}u: const float32[4, 12, 1, 1]\nl = nn.conv2d(x, w, {P})\n"
        "m = multiply(nn.relu(nn.conv2d(x, v)), 60)\nj = concat([l, m, multiply(x, 0.1)], axis=1)\ny = nn.conv2d(j, u)",
        "convolution convolution relu scale_by_constant - concat convolution",
    ),
    "joined, split and reshaped": Network(
        f"{X}{W}u: const float32[256, 3]\nc = nn.relu(nn.conv2d(x, w, {P}))\nj = concat([c, x], axis=1)\n"
        "l, r = split(j, indices_or_sections=2, axis=1)\nf = reshape(permute_dims(l, axes=[0, 2, 3, 1]), [1, 256])\n"
        "y = matmul(f, u)\nz = nn.conv2d(r, v)",
        "convolution relu concat split rearrange rearrange matmul convolution",
    ),
    "depthwise, two outputs a channel, then pointwise": Network(
        f"{X}d: const float32[8, 1, 3, 3]\np: const float32[5, 8, 1, 1]\nc = nn.conv2d(x, d, {P}, groups=4)\n"
        "r = clip(c, 0, 6)\ny = nn.conv2d(r, p)",
        "convolution clip convolution",
    ),
    "channels last": Network(
        "x: float32[1, 8, 8, 4]\nw: const float32[3, 3, 4, 6]\nv: const float32[2, 1, 1, 6]\nb: const float32[6]\n"
        f'c = nn.conv2d(x, w, {P}, data_layout="NHWC", kernel_layout="HWIO")\nr = nn.relu(add(c, b))\n'
        'p = nn.avg_pool2d(r, pool_size=[2, 2], strides=[2, 2], layout="NHWC")\n'
        'y = nn.conv2d(p, v, data_layout="NHWC", kernel_layout="OHWI")',
        "convolution bias_add relu average_pool convolution",
    ),
    "transposed, in groups, with a bias": Network(
        "x: float32[1, 4, 5, 5]\nw: const float32[4, 3, 4, 4]\n"
        "b: const float32[6, 1, 1]\nv: const float32[2, 6, 1, 1]\n"
        "c = nn.conv2d_transpose(x, w, strides=[2, 2], padding=[1, 1, 1, 1], groups=2)\ns = add(c, b)\n"
        "y = nn.conv2d(nn.relu(s), v)",
        "convolution bias_add relu convolution",
    ),
    "transposed as the last operator": Network(
        f"{X}{W}u: const float32[4, 3, 2, 2]\nr = nn.relu(nn.conv2d(x, w, {P}))\n"
        "y = nn.conv2d_transpose(r, u, strides=[2, 2])",
        "convolution relu convolution",
    ),
    "a norm behind a convolution": Network(
        f"{X}{W}{NORM}c = nn.conv2d(x, w, {P})\ny, _, _ = nn.batch_norm(c, {BN})\nz = nn.conv2d(nn.relu(y), v)",
        "convolution bias_add relu convolution",
    ),
    "a norm in front of a convolution": Network(
        f"{X}{W}{NORM}r = nn.relu(nn.conv2d(x, w, {P}))\ny, _, _ = nn.batch_norm(r, {BN})\nz = nn.conv2d(y, w, {P})",
        "convolution relu batch_norm convolution",
    ),
    "a pad in front of a convolution": Network(
        f"{X}{W}c = nn.conv2d(x, v)\np = nn.pad(c, pad_width=[0, 0, 0, 0, 0, 1, 1, 2])\ny = nn.conv2d(p, w)",
        "convolution pad convolution",
    ),
    "pools": Network(
        f"{X}{W}c = nn.conv2d(x, w, {P})\nm = nn.max_pool2d(c, pool_size=[3, 3], strides=[2, 2], {P})\n"
        f"a = nn.avg_pool2d(m, pool_size=[3, 3], {P}, count_include_pad=True)\ny = nn.conv2d(a, v)",
        "convolution max_pool average_pool convolution",
    ),
    "pools that join": Network(
        f"{X}{W}u: const float32[4, 8, 1, 1]\nm = nn.max_pool2d(x, pool_size=[3, 3], {P})\nc = nn.conv2d(x, v)\n"
        "j = concat([m, c], axis=1)\ny = nn.conv2d(j, u)",
        "max_pool convolution concat convolution",
    ),
    "relu on the model's own input": Network(f"{X}{W}r = nn.relu(x)\ny = nn.conv2d(r, w)", "- convolution"),
    "a chain of factors": Network(
        f"{X}{W}c = nn.relu(nn.conv2d(x, w, {P}))\nm = nn.relu(multiply(c, 0.3))\ns = clip(multiply(m, 7), 0, 9)\n"
        "y = nn.conv2d(s, v)",
        "convolution relu scale_by_constant relu scale_by_constant clip convolution",
    ),
    "a dense head": Network(
        f"{X}{W}u: const float32[4, 5]\nb2: const float32[5]\nc = nn.relu(nn.conv2d(x, w, {P}))\n"
        "m = mean(c, axis=[2, 3])\ny = nn.softmax(add(matmul(m, u), b2))",
        "convolution relu mean matmul bias_add -",
    ),
    "far from zero": Network(f"{X}{W}a = add(x, 100.5)\ny = nn.conv2d(a, v)", "- convolution", 0.2),
}
