"""Text to tree to text: nothing is lost, and no parenthesis is kept that says nothing."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from qdsl.lang import tree
from qdsl.lang.unparse import unparse

from .reading import RULE_FILES, expression, read
from .trees import EXPRESSIONS, FILES


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda p: p.name)
def test_rule_files_come_back_as_the_same_tree(path: Path) -> None:
    file = read(path.read_text(encoding="utf-8"))
    assert read(unparse(file)) == file
    assert unparse(read(unparse(file))) == unparse(file)


# repr as well as ==: in Python True == 1 == 1.0 and 0.0 == -0.0.


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_every_expression_comes_back_as_the_same_tree(node: tree.Expr) -> None:
    again = expression(unparse(node))
    assert again == node
    assert repr(again) == repr(node)


@settings(max_examples=60, deadline=None)
@given(FILES)
def test_every_file_comes_back_as_the_same_tree(file: tree.File) -> None:
    again = read(unparse(file))
    assert again == file
    assert unparse(again) == unparse(file)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("((x))", "x"),
        ("(a*b)+c", "a * b + c"),
        ("a*(b+c)", "a * (b + c)"),
        ("(a-b)-c", "a - b - c"),
        ("a-(b-c)", "a - (b - c)"),
        ("a/(b*c)", "a / (b * c)"),
        ("(-a)*b", "-a * b"),
        ("-(a*b)", "-(a * b)"),
        ("-1", "-1"),
        ("-(1)", "-(1)"),
        ("a - -1", "a - -1"),
        ("(beta-mean*gain)[C]", "(beta - mean * gain)[C]"),
        ("(x.scale)[C]", "x.scale[C]"),
        ("(a and b) and c", "(a and b) and c"),
        ("a and b or c and d", "a and b or c and d"),
        ("(a or b) and c", "(a or b) and c"),
        ("not (a and b)", "not (a and b)"),
        ("not (a<b)", "not a < b"),
        ("(not a) == b", "(not a) == b"),
        ("0.000000000001", "1e-12"),
        ("1.50", "1.5"),
        ("True", "true"),
        ("007", "7"),
        ("add{x,(3)}", "add{x, 3}"),
        ("concat([parts...],**y,axis=-1)", "concat([parts...], **y, axis=-1)"),
    ],
)
def test_canonical_text(written: str, canonical: str) -> None:
    assert unparse(expression(written)) == canonical


def test_parts_of_a_rule_read_as_in_a_report() -> None:
    (rule,) = read(
        "rule r match y,_ = conv( x,w ) when constant( w ) annotate x,z... as acc[C]=x.scale*w.scale "
        "share a,b as act y like x=x.scale*2 y as fixed(scale=1/256) realize y = x"
    ).items
    assert isinstance(rule, tree.Rule)
    assert unparse(rule.match[0]) == "y, _ = conv(x, w)"
    assert rule.when is not None
    assert unparse(rule.when) == "constant(w)"
    assert [unparse(mark) for mark in rule.annotate] == [
        "x, z... as acc[C] = x.scale * w.scale",
        "share a, b as act",
        "y like x = x.scale * 2",
        "y as fixed(scale=1 / 256)",
    ]
