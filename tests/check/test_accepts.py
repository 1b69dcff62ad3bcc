"""What is right is not complained of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qdsl.lang.diagnostics import Diagnostic

FOLDS = {
    "operands that are no tensors may be left out": "match s = reshape(x) y = strided_slice(s) when used_once(s)"
    " rewrite y = reshape(strided_slice(x, **y), **s)",
    "or stand in their places": "match y = clip(x, low, high) when low == 0 and high == 6"
    " rewrite y = minimum(nn.relu(x), high)",
    "or be named": "match y = clip(x, min=0, max=6) rewrite y = minimum(nn.relu(x), 6)",
    "or be literals": "match y = reshape(x, [1, -1]) when rank(x) == 4 rewrite y = flatten(x)",
    "and are fields of the result": "match y = reshape(x) when y.shape == [1, -1] rewrite y = flatten(x)",
    "attributes as literals": 'match y = nn.avg_pool2d(x, pool_size=2, layout="NCHW", ceil_mode=false)'
    " rewrite y = nn.max_pool2d(x, pool_size=y.pool_size, strides=y.strides, ceil_mode=1)",
    "a dtype in its place or in quotes": "match y = astype(x, dtype=float16)"
    ' rewrite y = astype(astype(x, int32), "float32")',
    "axes in their place": "match y = nn.silu(x) when rank(x) == 3 rewrite y = sigmoid(permute_dims(x, [0, 2, 1]))",
    "a capture named like an operator": "match y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)"
    " when constant(mean, var) and not y.training and constant(gamma, beta)"
    " rewrite y = (x - mean) / sqrt(var + y.epsilon) * gamma + beta",
    "a def": "match y = nn.silu(x) when plain(x) rewrite y = gate(x)",
    "a spread": "match y = concat([parts...]) when y.axis == 1 rewrite y = stack([parts...], axis=1)",
    "several results": "match values, _ = topk(x, k=1) rewrite values = max(x, axis=-1, keepdims=true)",
    "as many results as there are parts": "match a, b = split(x, indices_or_sections=2)"
    " rewrite a, b = split(negative(x), indices_or_sections=[4], axis=a.axis)",
    "all results by one name": "match parts... = split(x) when parts.axis == 1 rewrite parts... = meshgrid([x, x])",
    "an unused operand that says so": "match y = where(c, a, _b) when constant(c) and c > 0 rewrite y = a + 0",
    "private values read twice": "match s = nn.silu(x) y = divide(s, s) when private(s) rewrite y = x * 0 + 1",
    "comparisons of constants": "match y = multiply{x, c} when constant(c) and c > 0 and not c > 1"
    " rewrite y = divide(x, 1 / c)",
    "a number is one in float32": "match y = multiply{x, 0.70710678} rewrite y = divide(x, sqrt(2))",
    "shapes and dtypes in guards": "match y = negative(x) when x.dtype == float32 and x.shape == [1, 8]"
    " and dtype(x, float32) and dtype(y) == float32 and shape(y) == [1, 8] rewrite y = 0 - x",
    "a dropout that drops nothing": "match y, _ = nn.dropout(x) when y.rate == 0 rewrite y = x * 1",
    "a norm without training": "match y, _, _ = nn.batch_norm(x, _g, _b, _m, _v, training=0) rewrite y = x * 1",
}

RULES = {
    "axis letters": "for conv in nn.conv2d, nn.conv2d_transpose match y = conv(x, w)"
    " when constant(w) and size(w, I) > 4 and y.groups == 1"
    " annotate x as act w as weight[O] y as acc[C] = x.scale * w.scale"
    " realize y = conv(centered(x), w, **y, out_dtype=int32)",
    "constant in every alternative": "match y = nn.conv2d(x, w)"
    " when constant(w) and y.groups == 1 or axis(y, C) == 1 and constant(w)"
    " annotate x as act w as weight[O] y as acc[C] = x.scale * w.scale"
    " realize y = nn.conv2d(centered(x), w, **y, out_dtype=int32)",
    "a result nobody reads": "match y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)"
    " when constant(gamma, beta, mean, var) and not y.training and wanted(y)"
    " annotate x as any gamma, beta, mean, var as float y as wide"
    " realize gain = gamma / sqrt(var + y.epsilon) y = affine(x, gain[C], (beta - mean * gain)[C])",
    "an operator with a dot": "match y = nn.gelu(x) when wanted(y) annotate x as any y as wide"
    " realize y = lookup(nn.gelu, x)",
    "a def of a def": "match y = nn.silu(x) when wanted(y) annotate x as any y as wide realize y = lookup(gate, x)",
    "parts": "match parts... = split(x) when wanted(parts...) annotate x as act parts... like x"
    " realize parts... = split(x, **parts)",
    "a pad": "match y = nn.pad(x) when wanted(y) and (y.pad_value == 0 or rank(x) == 4)"
    " annotate x as act y like x realize y = nn.pad(x, **y, pad_value=x.zero)",
    "a count": "match y = mean(x) when quantized(x) and wanted(y) annotate x as act y as wide = x.scale / count(x, y)"
    " realize y = sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)",
    "token ids": "match y = take(table, ids) when constant(table) and rank(table) == 2 and wanted(y)"
    " annotate table as act y like table realize y = take(table, ids, **y)",
}

HELPERS = "def squared(x) = x * x def gate(x) = squared(sigmoid(x)) def plain(x) = quantized(x) or rank(x) == 2 "


@pytest.mark.parametrize("text", FOLDS.values(), ids=FOLDS.keys())
def test_folds(text: str, said: Callable[[str], list[Diagnostic]]) -> None:
    assert [f"{d.code} {d.message}" for d in said(f"{HELPERS} fold f {text}")] == []


@pytest.mark.parametrize("text", RULES.values(), ids=RULES.keys())
def test_rules(text: str, said: Callable[[str], list[Diagnostic]]) -> None:
    assert [f"{d.code} {d.message}" for d in said(f"{HELPERS} rule r {text}")] == []


def test_skips_and_tests(said: Callable[[str], list[Diagnostic]]) -> None:
    text = """
        skip nn.conv2d(x, w) when size(w, I) < 4 because "the stem"
        skip nn.conv2d(nn.softmax(x), w) because "an expectation"
        skip at "head*" because "too few values"
        def swish(x) = x * sigmoid(x)
        rule relu match y = nn.relu(x) annotate y like x realize y = maximum(x, x.zero)
        test relu "of a gate" given x: float32[1, 8] w: const float32[8, 8]
            c = matmul(x, w) h = swish(c) * 2 + 1 y = nn.relu(h) z = nn.relu(c)
            expect fires mark y as wide error <= 1 step
        test relu "of a part" given x: float32[1, 8] a, b = split(x, indices_or_sections=2, axis=1) y = nn.relu(a + b)
            expect skips "wanted(y)"
    """
    assert [f"{d.code} {d.message}" for d in said(text)] == []
