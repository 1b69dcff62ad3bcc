"""Right rules with one thing made wrong: the mistake is found, once, at its place, under its code."""

import pytest

from qdsl.check.types import check_types
from qdsl.lang.program import load_text
from qdsl.lang.render import render

SCHEMES = """
scheme act    = uint8 asymmetric per_tensor
scheme sym    = int8  symmetric  per_tensor
scheme weight = int8  symmetric  per_channel narrow
scheme acc    = int32 symmetric  per_channel
scheme wide   = int32 symmetric  per_tensor 24 bits
"""

RULES = {
    "convolution": """
        for conv in nn.conv2d, nn.conv2d_transpose
        match y = conv(x, w)
        when constant(w) and size(w, I) <= 512
        annotate x as act
                 w as weight[O]
                 y as acc[C] = x.scale * w.scale
        realize y = conv(centered(x), w, **y, out_dtype=int32)""",
    "matmul": """
        match y = matmul(x, w)
        when constant(w) and rank(w) == 2 and size(w, K) <= 4096
        annotate x as act
                 w as weight[N]
                 y as acc[N] = x.scale * w.scale
        realize y = matmul(centered(x), w, out_dtype=int32)""",
    "scores": """
        match y = matmul(a, b)
        annotate a, b as act
                 y as wide = a.scale * b.scale
        realize y = matmul(centered(a), centered(b), out_dtype=int32)""",
    "bias": """
        match y = add{x, b}
        when constant(b)
        annotate x as acc
                 b as acc = x.scale
                 y like x
        realize y = x + b""",
    "scale": """
        match y = multiply{x, c}
        when constant(c) and scalar(c) and c > 0
        annotate c as float
                 y like x = x.scale * c
        realize y = x""",
    "relu": """
        match y = nn.relu(x)
        annotate y like x
        realize y = maximum(x, x.zero)""",
    "clip": """
        match y = clip(x, low, high)
        annotate y like x
        realize y = clip(x, level(low, x), level(high, x))""",
    "prelu": """
        match y = nn.prelu(x, slope)
        when constant(slope)
        annotate slope as float
                 y like x
        realize y = where(x > x.zero, x, affine(x, slope[C], 0))""",
    "norm": """
        match y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)
        when constant(gamma, beta, mean, var) and not y.training
        annotate x as any
                 gamma, beta, mean, var as float
                 y as wide
        realize gain = gamma / sqrt(var + y.epsilon)
                y = affine(x, gain[C], (beta - mean * gain)[C])""",
    "swish": """
        match y = multiply{x, sigmoid(x)}
        annotate x as any
                 y as wide
        realize y = lookup(nn.silu, x)""",
    "residual": """
        match y = add(a, b)
        annotate a, b as act
                 y as wide
        realize y = rescale(a, y.scale) + rescale(b, y.scale)""",
    "gate": """
        match y = multiply(a, b)
        annotate a, b as act
                 y as wide = a.scale * b.scale
        realize y = astype(centered(a), int32) * astype(centered(b), int32)""",
    "concat": """
        match y = concat([parts...])
        annotate share parts..., y as act
        realize y = concat([parts...], **y)""",
    "move": """
        for op in nn.max_pool2d, reshape, image.resize2d
        match y = op(x)
        annotate x as act
                 y like x
        realize y = op(x, **y)""",
    "pad": """
        match y = nn.pad(x)
        annotate x as act
                 y like x
        realize y = nn.pad(x, **y, pad_value=x.zero)""",
    "mean": """
        match y = mean(x)
        annotate x as act
                 y as wide = x.scale / count(x, y)
        realize y = sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)""",
    "pool": """
        match y = nn.avg_pool2d(x)
        annotate x as act
                 y as wide
        realize y = average(x, **y)""",
    "split": """
        match parts... = split(x)
        annotate x as act
                 parts... like x
        realize parts... = split(x, **parts)""",
    "values": """
        match p = nn.softmax(s)
              y = matmul(p, v)
        annotate s as float
                 v as act
                 y as float
        realize e = astype(round(exp(s) * 255), uint8)
                n = matmul(e, centered(v), out_dtype=int32)
                y = astype(n, float32) * v.scale / astype(sum(astype(e, int32), axis=[-1]), float32)""",
    "table": """
        match y = sigmoid(x)
        annotate x as act
                 y as fixed(scale=1/256, zero=0)
        realize y = lookup(sigmoid, x)""",
}

# rule, what stands there, what is written instead, the code, and what the finding points at
WRONG = [
    # ---- marks missing
    ("convolution", "w as weight[O]", "", "Q0301", "w"),
    ("convolution", "y as acc[C] = x.scale * w.scale", "", "Q0301", "y"),
    ("norm", "gamma, beta, mean, var as float", "beta, mean, var as float", "Q0301", "gamma"),
    ("concat", "share parts..., y as act", "y as act", "Q0301", "parts..."),
    ("relu", "y like x", "x as any", "Q0301", "y"),
    # ---- tuples
    ("norm", "y, _, _ = nn", "y = nn", "Q0302", "y"),
    ("split", "parts... = split(x)\n        annotate x as act\n                 parts...",
              "parts = split(x)\n        annotate x as act\n                 parts", "Q0302", "parts"),
    # ---- axes
    ("convolution", "weight[O]", "weight[N]", "Q0303", "N"),
    ("convolution", "weight[O]", "weight[I]", "Q0303", "I"),
    ("convolution", "weight[O]", "weight", "Q0303", "weight"),
    ("convolution", "acc[C]", "acc[O]", "Q0303", "O"),
    ("convolution", "acc[C]", "acc[H]", "Q0303", "H"),
    ("convolution", "acc[C]", "wide", "Q0303", "wide"),
    ("convolution", "x as act", "x as act[C]", "Q0303", "C"),
    ("matmul", "weight[N]", "weight[K]", "Q0303", "K"),
    ("matmul", "weight[N]", "weight[O]", "Q0303", "O"),
    ("matmul", "acc[N]", "acc[C]", "Q0303", "C"),
    ("matmul", "acc[N]", "acc[M]", "Q0303", "M"),
    ("bias", "b as acc = x.scale", "b as acc[C] = x.scale", "Q0303", "C"),
    ("prelu", "slope[C]", "slope[O]", "Q0303", "slope[O]"),
    ("norm", "gain[C]", "gain[H]", "Q0303", "gain[H]"),
    ("residual", "y as wide", "y as acc", "Q0303", "acc"),
    # ---- dtypes
    ("convolution", ", out_dtype=int32", "", "Q0304", "conv"),
    ("convolution", "out_dtype=int32", "out_dtype=int16", "Q0304", "int16"),
    ("convolution", "y as acc[C] = x.scale * w.scale", "y as act", "Q0304",
                    "conv(centered(x), w, **y, out_dtype=int32)"),
    ("matmul", ", out_dtype=int32", "", "Q0304", "matmul"),
    ("gate", "astype(centered(a), int32) * astype(centered(b), int32)", "centered(a) * centered(b)", "Q0304",
             "centered(a) * centered(b)"),
    ("gate", "astype(centered(b), int32)", "centered(b)", "Q0304", "centered(b)"),
    ("gate", "y as wide = a.scale * b.scale", "y as act", "Q0304",
             "astype(centered(a), int32) * astype(centered(b), int32)"),
    ("residual", "y as wide", "y as act", "Q0304", "rescale(a, y.scale) + rescale(b, y.scale)"),
    ("mean", "astype(centered(x), int32)", "centered(x)", "Q0304", "centered(x)"),
    ("relu", "maximum(x, x.zero)", "astype(maximum(x, x.zero), int32)", "Q0304", "astype(maximum(x, x.zero), int32)"),
    ("pool", "average(x, **y)", "nn.avg_pool2d(astype(centered(x), int32), **y)", "Q0304", "nn.avg_pool2d"),
    ("swish", "lookup(nn.silu, x)", "nn.silu(x)", "Q0304", "x"),
    ("swish", "lookup(nn.silu, x)", "astype(x, float32) * x.scale", "Q0304", "astype(x, float32) * x.scale"),
    ("swish", "x as any", "x as float", "Q0304", "x"),
    ("norm", "gamma, beta, mean, var as", "gamma as wide\n beta, mean, var as", "Q0304", "gamma"),
    ("scale", "realize y = x", "realize y = x * c", "Q0304", "c"),
    ("values", "astype(n, float32) * v.scale / astype(sum(astype(e, int32), axis=[-1]), float32)", "n", "Q0304", "n"),
    ("values", "astype(n, float32) *", "n *", "Q0304", "v.scale"),
    ("values", "sum(astype(e, int32), axis=[-1])", "sum(e, axis=[-1])", "Q0304", "e"),
    ("values", "realize e = astype(round(exp(s) * 255), uint8)", "realize e = exp(s)", "Q0304", "e"),
    ("mean", "sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)",
             "sum(astype(centered(x), int32)) / count(x, y)", "Q0304", "sum(astype(centered(x), int32))"),
    # ---- scales
    ("bias", "b as acc = x.scale", "b as act", "Q0305", "b"),
    ("bias", "b as acc = x.scale", "b as acc = x.scale * 2", "Q0305", "b"),
    ("bias", "x as acc", "x as any", "Q0305", "x"),
    ("bias", "x + b", "x + 3", "Q0305", "3"),
    ("convolution", "= x.scale * w.scale", "= x.scale", "Q0305", "conv(centered(x), w, **y, out_dtype=int32)"),
    ("convolution", "= x.scale * w.scale", "= x.scale + w.scale", "Q0305", "x.scale + w.scale"),
    ("matmul", "= x.scale * w.scale", "= w.scale * w.scale", "Q0305", "matmul(centered(x), w, out_dtype=int32)"),
    ("residual", "rescale(a, y.scale) + rescale(b, y.scale)", "a + b", "Q0305", "b"),
    ("residual", "rescale(b, y.scale)", "astype(centered(b), int32)", "Q0305", "astype(centered(b), int32)"),
    ("residual", "rescale(a, y.scale) + rescale(b, y.scale)", "rescale(a, a.scale) + rescale(b, a.scale)", "Q0305",
                 "rescale(a, a.scale) + rescale(b, a.scale)"),
    ("gate", "y as wide = a.scale * b.scale", "y as wide", "Q0305",
             "astype(centered(a), int32) * astype(centered(b), int32)"),
    ("scale", "y like x = x.scale * c", "y like x", "Q0305", "x"),
    ("scale", "x.scale * c", "x.scale / c", "Q0305", "x"),
    ("scale", "x.scale * c", "x.scale * -1", "Q0305", "x.scale * -1"),
    ("scale", "x.scale * c", "c.scale * x.scale", "Q0305", "c.scale"),
    ("scale", "and c > 0", "", "Q0305", "c"),
    ("scale", "and c > 0", "and c > -1", "Q0305", "c"),
    ("mean", " / count(x, y)", "", "Q0305", "sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)"),
    ("concat", "share parts..., y as act", "parts..., y as act", "Q0305", "concat([parts...], **y)"),
    ("concat", "share parts..., y as act", "share parts... as act\n y as act", "Q0305", "concat([parts...], **y)"),
    ("relu", "y like x", "x as act\n y as act", "Q0305", "maximum(x, x.zero)"),
    ("move", "y like x", "y as act", "Q0305", "op(x, **y)"),
    ("prelu", "y like x", "x as any\n y as act", "Q0305", "affine(x, slope[C], 0)"),
    ("clip", "y like x", "y like x = x.scale * 2", "Q0305", "clip(x, level(low, x), level(high, x))"),
    ("clip", "level(low, x), level(high, x)", "level(low, y), level(high, y)", None, ""),
    ("split", "parts... like x", "parts... as act", "Q0305", "split(x, **parts)"),
    # ---- zero points
    ("convolution", "centered(x)", "x", "Q0306", "x"),
    ("matmul", "centered(x)", "x", "Q0306", "x"),
    ("scores", "centered(b)", "b", "Q0306", "b"),
    ("scores", "centered(a), centered(b)", "a, b", "Q0306", "a"),
    ("gate", "astype(centered(a), int32)", "astype(a, int32)", "Q0306", "astype(a, int32)"),
    ("mean", "centered(x)", "x", "Q0306", "astype(x, int32)"),
    ("relu", "x.zero", "0", "Q0306", "0"),
    ("relu", "maximum(x, x.zero)", "nn.relu(x)", "Q0306", "x"),
    ("relu", "y like x\n", "x as act\n y as wide = x.scale\n", "Q0304", "maximum(x, x.zero)"),
    ("clip", "level(low, x), level(high, x)", "low, high", "Q0306", "low"),
    ("clip", "level(high, x)", "6", "Q0306", "6"),
    ("prelu", "x > x.zero", "x > 0", "Q0306", "0"),
    ("prelu", "affine(x, slope[C], 0)", "0", "Q0306", "0"),
    ("pad", ", pad_value=x.zero", "", "Q0306", "nn.pad(x, **y)"),
    ("pad", "pad_value=x.zero", "pad_value=0", "Q0306", "0"),
    ("pad", "pad_value=x.zero", "pad_value=y.pad_value", "Q0306", "y.pad_value"),
    ("pool", "average(x, **y)", "nn.avg_pool2d(x, **y)", "Q0306", "x"),
    ("values", "centered(v)", "v", "Q0306", "v"),
    ("residual", "a, b as act", "share a, b as act", None, ""),
    # ---- overflow, groups, fixed
    ("matmul", "size(w, K) <= 4096", "size(w, K) <= 140000", "Q0308", "size(w, K) <= 140000"),
    ("matmul", "size(w, K) <= 4096", "140000 == size(x, K)", "Q0308", "140000 == size(x, K)"),
    ("matmul", "size(w, K) <= 4096", "shape(w) == [70000, 8]", "Q0308", "shape(w) == [70000, 8]"),
    ("matmul", "size(w, K) <= 4096", "shape(w) == [8, 70000]", None, ""),
    ("matmul", "size(w, K) <= 4096", "size(w, K) <= 66311", None, ""),
    ("convolution", "size(w, I) <= 512", "size(w, I) > 70000", "Q0308", "size(w, I) > 70000"),
    ("gate", "a, b as act", "a as wide\n b as wide", "Q0308",
             "astype(centered(a), int32) * astype(centered(b), int32)"),
    ("relu", "y like x", "x like y\n y like x", "Q0311", "x"),
    ("relu", "y like x", "y like y\n x as act", "Q0311", "y"),
    ("relu", "y like x", "x like y", "Q0311", "y"),
    ("relu", "y like x", "x as act\n y as any", "Q0311", "y"),
    ("residual", "y as wide", "y as wide = y.scale", "Q0311", "y"),
    ("table", "zero=0", "zero=256", "Q0312", "256"),
    ("table", "zero=0", "zero=0.5", "Q0312", "0.5"),
    ("table", "scale=1/256", "scale=-1", "Q0312", "-1"),
    ("table", "scale=1/256, ", "", "Q0312", "fixed(zero=0)"),
    ("table", "x as act\n", "x as act\n y like x\n", "Q0312", "y"),
    ("table", "zero=0)", "zero=0, dtype=float16)", "Q0307", "float16"),
    ("move", "x as act\n                 y like x",
             "x as fixed(scale=0.5, zero=0)\n y as fixed(scale=0.25, zero=0)", "Q0312", "op(x, **y)"),
]  # fmt: skip


def program_of(body: str) -> str:
    each, rest = ("", body) if " for " not in f" {body.split('match')[0]}" else body.split("\n        match", 1)
    return f"{SCHEMES}\nrule r {each.strip()}\n" + (f"match{rest}" if each else rest)


@pytest.mark.parametrize("name", RULES)
def test_the_rules_are_right_before_they_are_made_wrong(name: str) -> None:
    program = load_text(program_of(RULES[name]))
    assert program.diagnostics == []
    assert render(check_types(program)) == ""


@pytest.mark.parametrize(("name", "right", "wrong", "code", "place"), WRONG)
def test_one_mistake_is_one_finding(name: str, right: str, wrong: str, code: str | None, place: str) -> None:
    assert right in RULES[name], "the rule has changed"
    program = load_text(program_of(RULES[name].replace(right, wrong)))
    assert program.diagnostics == []
    found = check_types(program)
    said = render(found)
    assert [d.code for d in found] == ([] if code is None else [code]), said
    assert [d.primary.span.text for d in found] == ([] if code is None else [place]), said
    assert all(d.help for d in found), said
