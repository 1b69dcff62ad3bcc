"""One mistake is one finding, and no text makes the checker fail."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.check import check
from qdsl.lang.program import load_text
from qdsl.lang.stock import stock_paths

CONVOLUTION = """
    rule convolution
        match     y = nn.conv2d(x, w)
        when      constant(w)
        annotate  x as act
                  w as weight[O]
                  y as acc[C] = x.scale * w.scale
        realize   y = nn.conv2d(centered(x), w, **y, out_dtype=int32)
"""

BATCH_NORM = """
    rule batch_norm
        match     y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)
        when      constant(gamma, beta, mean, var) and not y.training and wanted(y)
        annotate  x as any
                  gamma, beta, mean, var as float
                  y as wide
        realize   gain = gamma / sqrt(var + y.epsilon)
                  y    = affine(x, gain[C], (beta - mean * gain)[C])
"""

MISTAKES = [
    (CONVOLUTION, "y = nn.conv2d(x, w)", "y = nn.conv(x, w)", "Q0101"),
    (CONVOLUTION, "y = nn.conv2d(centered", "y = nn.conv2(centered", "Q0101"),
    (CONVOLUTION, "(x, w)\n", "(x)\n", "Q0102"),
    (CONVOLUTION, "(centered(x), w, ", "(centered(x), ", "Q0102"),
    (CONVOLUTION, "out_dtype", "out_type", "Q0103"),
    (CONVOLUTION, "out_dtype=int32", "out_dtype=[1]", "Q0104"),
    (CONVOLUTION, "centered(x)", "centred(x)", "Q0206"),
    (CONVOLUTION, "centered(x)", "centered(X)", "Q0201"),
    (CONVOLUTION, "constant(w)", "const(w)", "Q0206"),
    (CONVOLUTION, "constant(w)", "constant(ww)", "Q0201"),
    (CONVOLUTION, "constant(w)", "constant(x)", "Q0309"),
    (CONVOLUTION, "w as weight[O]", "w as weigh[O]", "Q0206"),
    (CONVOLUTION, "w as weight[O]", "v as weight[O]", "Q0201"),
    (CONVOLUTION, "y as acc[C]", "y as ac[C]", "Q0206"),
    (CONVOLUTION, "realize   y", "realize   z", "Q0401"),
    (BATCH_NORM, "y, _, _ = nn.batch_norm", "y, _ = nn.batch_norm", "Q0105"),
    (BATCH_NORM, "not y.training and ", "", "Q0310"),
    (BATCH_NORM, "y.training", "y.train", "Q0103"),
    (BATCH_NORM, "y.epsilon", "y.eps", "Q0103"),
    (BATCH_NORM, "gamma / sqrt", "gama / sqrt", "Q0201"),
    (BATCH_NORM, "gain = gamma", "gian = gamma", "Q0201"),
    (BATCH_NORM, "sqrt", "sqroot", "Q0101"),
    (BATCH_NORM, "affine", "afine", "Q0206"),
    (BATCH_NORM, "wanted(y)", "wanted(_y)", "Q0201"),
    (BATCH_NORM, "nn.batch_norm", "nn.batchnorm", "Q0101"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m[1].strip()} -> {m[2].strip()}")
def test_one_mistake(mistake: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    text, right, wrong, code = mistake
    assert codes(text) == []
    assert text.count(right) == 1
    found = codes(text.replace(right, wrong))
    assert set(found) == {code}


def test_findings_stand_in_the_order_of_the_file(codes: Callable[[str], list[str]]) -> None:
    text = CONVOLUTION.replace("out_dtype", "out_type") + BATCH_NORM.replace("gamma / sqrt", "gama / sqrt")
    assert codes(text) == ["Q0103", "Q0201"]
    assert codes(BATCH_NORM.replace("wanted(y)", "wnted(y)") + CONVOLUTION.replace("(x, w)\n", "(x)\n")) == [
        "Q0206",
        "Q0102",
    ]


def test_what_a_file_with_syntax_errors_would_declare_is_not_unknown() -> None:
    found = check(
        load_text("scheme act = uint8 asymmetric per_tensr\n rule r match y = nn.relu(x) annotate x as act y like x")
    )
    assert [d.code for d in found if d.is_error] == ["Q0001"]


STOCK = "\n".join(path.read_text(encoding="utf-8") for path in stock_paths())
TOKENS = re.findall(r"\w+|[^\w\s]|\s+", STOCK)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, len(TOKENS) - 1), st.integers(-1, len(TOKENS) - 1)), min_size=1, max_size=5))
def test_no_text_makes_the_checker_fail(changes: list[tuple[int, int]]) -> None:
    """Tokens of the stock rules deleted, or put in the place of others."""
    tokens = list(TOKENS)
    for where, what in changes:
        tokens[where] = TOKENS[what] if what >= 0 else " "
    for finding in check(load_text("".join(tokens))):
        assert finding.message
        assert finding.help is None or finding.help.strip()
