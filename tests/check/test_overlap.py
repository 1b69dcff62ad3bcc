"""Which rules overlap: one table of pairs, each with whether they may stand side by side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qdsl.lang.diagnostics import Diagnostic

APART = [
    ("y = add{x, b}", "constant(b) and not constant(x)", "y = add(a, b)", "not constant(a) and not constant(b)"),
    ("y = add{x, b}", "constant(b)", "y = add(a, b)", "not constant(a) and not constant(b)"),
    ("y = matmul(x, w)", "constant(w)", "y = matmul(x, w)", "not constant(w)"),
    ("y = matmul(x, w)", "constant(w)", "p = nn.softmax(s) y = matmul(p, v)", "not constant(v) and private(p)"),
    ("y = multiply{x, sigmoid(x)}", "", "y = multiply{x, clip(add{x, 3}, 0, 6)}", ""),
    ("y = multiply{x, sigmoid(x)}", "", "y = multiply{x, c}", "constant(c)"),
    ("y = multiply{x, clip(add{x, 3}, 0, 6)}", "", "y = multiply{x, c}", "constant(c)"),
    ("y = clip(x, 0, 6)", "", "y = clip(x, 0, 20)", ""),
    ("y = add{x, 3}", "", "y = add(a, b)", "not constant(a) and not constant(b)"),
    ("y = nn.conv2d(x, w, strides=[1, 1])", "", "y = nn.conv2d(x, w, strides=[2, 2])", ""),
    ("y = nn.conv2d(x, w)", "y.groups == 1", "y = nn.conv2d(x, w)", "y.groups > 1"),
    ("y = nn.conv2d(x, w, groups=1)", "", "y = nn.conv2d(x, w)", "y.groups != 1"),
    (
        "y = nn.conv2d(x, w)",
        'y.groups == 1 and y.data_layout == "NCHW"',
        "y = nn.conv2d(x, w)",
        'y.data_layout == "NHWC"',
    ),
    ("y = nn.softmax(x)", "y.axis == 1", "y = nn.softmax(x)", "not y.axis == 1"),
    ("y = nn.relu(x)", "quantized(x)", "y = nn.relu(x)", "not quantized(x)"),
    ("y = nn.relu(x)", "rank(x) == 4", "y = nn.relu(x)", "rank(x) == 2 or rank(x) == 3"),
    ("y = nn.relu(nn.silu(x))", "", "y = nn.relu(sigmoid(x))", ""),
    ("y = nn.relu(x)", "", "y = nn.silu(x)", ""),
    ("y = subtract(x, sigmoid(x))", "", "y = subtract(sigmoid(x), x)", ""),
    ("y = concat([a, b])", "", "y = concat([a, b, c])", ""),
    ("a, b = split(x, indices_or_sections=2)", "", "a, b, c = split(x, indices_or_sections=3)", ""),
    ("y = multiply(x, x)", "not constant(x)", "y = multiply(a, b)", "constant(b)"),
]

TOGETHER = [
    ("y = nn.relu(x)", "", "y = nn.relu(x)", ""),
    ("y = nn.relu(x)", "wanted(y)", "y = nn.relu(x)", "quantized(x)"),
    ("y = add(a, b)", "", "y = add{x, b}", "constant(b)"),
    ("y = add(x, b)", "constant(b)", "y = add(b, x)", "not constant(b)"),
    ("y = multiply{x, sigmoid(x)}", "", "y = multiply(a, b)", "not constant(a) and not constant(b)"),
    ("y = multiply(sigmoid(x), x)", "", "y = multiply{x, sigmoid(x)}", ""),
    ("y = multiply(x, x)", "", "y = multiply(a, b)", "not constant(a)"),
    ("y = add{x, 3}", "", "y = add{x, b}", "constant(b)"),
    ("y = add{x, 3}", "", "y = add{x, 3.0}", ""),
    ("y = clip(x)", "", "y = clip(x, 0, 6)", ""),
    ("y = nn.conv2d(x, w)", "y.groups > 0", "y = nn.conv2d(x, w)", "y.groups > 1"),
    ("y = nn.conv2d(x, w, groups=1)", "", "y = nn.conv2d(x, w, strides=[2, 2])", ""),
    ("y = nn.relu(x)", "rank(x) == 4", "y = nn.relu(x)", "rank(x) == 2 or rank(x) == 4"),
    ("y = nn.relu(nn.silu(x))", "", "y = nn.relu(x)", ""),
    ("y = concat([parts...])", "", "y = concat([a, b])", ""),
    ("y = matmul(x, w)", "constant(w) or constant(x)", "y = matmul(x, w)", "not constant(w)"),
    ("s = nn.relu(x) y = add(s, s)", "private(s)", "y = add(a, b)", "not constant(a)"),
]


def program(first: str, guard: str, second: str, other: str) -> str:
    """Two rules that say nothing but what they match; what else is wrong with them is not looked at."""
    rules = []
    for name, match, when in (("first", first, guard), ("second", second, other)):
        rules.append(f"rule {name} match {match} {'when ' + when if when else ''} annotate y as float")
    return "\n".join(rules)


@pytest.mark.parametrize("pair", APART)
def test_apart(pair: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    assert "Q0403" not in codes(program(*pair))
    first, guard, second, other = pair
    assert "Q0403" not in codes(program(second, other, first, guard)), "the order of the rules matters"


@pytest.mark.parametrize("pair", TOGETHER)
def test_together(pair: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    assert "Q0403" in codes(program(*pair))
    first, guard, second, other = pair
    assert "Q0403" in codes(program(second, other, first, guard)), "the order of the rules matters"


@pytest.mark.parametrize("pair", TOGETHER)
def test_overrides_settles_it(pair: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    text = program(*pair).replace("rule second", "rule second overrides first")
    assert not {"Q0403", "Q0405"} & set(codes(text))


@pytest.mark.parametrize("pair", APART)
def test_overrides_for_nothing(pair: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    assert "Q0405" in codes(program(*pair).replace("rule second", "rule second overrides first"))


def test_overriding_by_way_of_another(codes: Callable[[str], list[str]]) -> None:
    text = """
        rule a match y = nn.relu(x) annotate y as float
        rule b overrides a match y = nn.relu(x) when wanted(y) annotate y as float
        rule c overrides b match y = nn.relu(x) when wanted(y) and quantized(x) annotate y as float
    """
    assert "Q0403" not in codes(text)


def test_a_pair_is_reported_once_for_all_its_operators(codes: Callable[[str], list[str]]) -> None:
    text = """
        rule a for op in reshape, squeeze, expand_dims match y = op(x) annotate y as float
        rule b for op in squeeze, reshape, flatten match y = op(x) when wanted(y) annotate y as float
    """
    assert codes(text).count("Q0403") == 1


def test_a_rule_that_replaces_another_is_no_mistake(codes: Callable[[str], list[str]]) -> None:
    text = """
        rule a match y = nn.relu(x) when wanted(y) annotate y as float
        rule b overrides a match y = nn.relu(z) when wanted(y) annotate y as float
    """
    assert not {"Q0403", "Q0404", "Q0405"} & set(codes(text))


NEVER = [
    ("y = nn.relu(x)", "wanted(y)", "y = nn.relu(x)", ""),
    ("y = add{x, b}", "constant(b) and wanted(y)", "y = add{u, v}", "constant(v)"),
    ("y = multiply{x, sigmoid(x)}", "", "y = multiply{a, b}", ""),
    ("y = add{x, 3}", "", "y = add{x, b}", "constant(b)"),
    ("y = nn.conv2d(x, w, groups=1)", "", "y = nn.conv2d(x, w)", "y.groups == 1"),
    ("y = matmul(nn.softmax(s), v)", "", "y = matmul(a, b)", "not constant(a)"),
]


@pytest.mark.parametrize("pair", NEVER)
def test_never(pair: tuple[str, str, str, str], said: Callable[[str], list[Diagnostic]]) -> None:
    text = program(*pair).replace("rule second", "rule second overrides first")
    found = [d for d in said(text) if d.code == "Q0404"]
    assert [d.primary.span.text for d in found] == ["first"]


SOMETIMES = [
    ("y = nn.relu(x)", "wanted(y)", "y = nn.relu(x)", "used_once(x)"),
    ("y = add{x, b}", "constant(b)", "y = add(x, b)", "constant(b)"),
    ("y = nn.conv2d(x, w)", "", "y = nn.conv2d(x, w, groups=1)", ""),
    ("y = nn.conv2d(x, w)", "y.groups > 0", "y = nn.conv2d(x, w)", "y.groups > 1"),
]


@pytest.mark.parametrize("pair", SOMETIMES)
def test_sometimes(pair: tuple[str, str, str, str], codes: Callable[[str], list[str]]) -> None:
    text = program(*pair).replace("rule second", "rule second overrides first")
    assert "Q0404" not in codes(text)


def test_a_mark_that_refuses_leaves_the_other_its_turn(codes: Callable[[str], list[str]]) -> None:
    """`x as acc` is refused where x is no accumulator, and then the next rule is tried."""
    text = """
        rule a match y = add{x, b} when constant(b) and wanted(y)
            annotate x as act b as float y as wide realize y = affine(x, 1, b)
        rule b overrides a match y = add{x, b} when constant(b)
            annotate x as acc b as acc = x.scale y like x realize y = x + b
    """
    assert "Q0404" not in codes(text)
