"""Every node knows the characters it was read from: they read as that node again, and lie within its parent's."""

from pathlib import Path

import pytest

from qdsl.lang import tree
from qdsl.lang.source import Span

from .reading import RULE_FILES, expression, read

FILES = [pytest.param(path, id=path.name) for path in RULE_FILES]


def nodes(path: Path) -> list[tree.Node]:
    return list(tree.walk(read(path.read_text(encoding="utf-8"))))


def reread(node: tree.Node) -> tree.Node:
    """What the characters of a node read as, in a place that takes such a node."""
    text = node.span.text
    if isinstance(node, tree.File):
        return read(text)
    if isinstance(node, tree.Item):
        return read(text).items[0]
    if isinstance(node, tree.Expr):
        return expression(text)
    if isinstance(node, tree.Spread | tree.Keyword | tree.AttributesOf):
        return expression(f"f({text})").args[0]
    if isinstance(node, tree.Each):
        return read(f"fold f {text} match y = x rewrite y = x").items[0].each
    if isinstance(node, tree.Binding):
        return read(f"fold f match {text} rewrite y = x").items[0].match[0]
    if isinstance(node, tree.Target):
        return read(f"fold f match {text} = x rewrite y = x").items[0].match[0].targets[0]
    if isinstance(node, tree.Mark):
        return read(f"rule r match y = x annotate {text}").items[0].annotate[0]
    if isinstance(node, tree.Spec):
        return read(f"rule r match y = x annotate x as {text}").items[0].annotate[0].spec
    if isinstance(node, tree.Input):
        return read(f'test t "" given {text} expect fires').items[0].given[0]
    return read(f'test t "" given x: int8[] expect {text}').items[0].expect[0]


@pytest.mark.parametrize("path", FILES)
def test_the_characters_of_a_node_read_as_that_node(path: Path) -> None:
    for node in nodes(path):
        assert reread(node) == node, node.span.text


@pytest.mark.parametrize("path", FILES)
def test_children_lie_within_their_parents_in_order(path: Path) -> None:
    for node in nodes(path):
        end = node.span.start
        for child in tree.children(node):
            assert end <= child.span.start, (node, child)
            end = child.span.end
        assert end <= node.span.end


@pytest.mark.parametrize("path", FILES)
def test_names_know_where_they_stand(path: Path) -> None:
    for node in nodes(path):
        for text, span in names_of(node):
            assert span.text.replace(" ", "") == text
            assert node.span.start <= span.start
            assert span.end <= node.span.end


def names_of(node: tree.Node) -> list[tuple[str, Span]]:
    """The names in a node that have spans of their own."""
    match node:
        case tree.Scheme():
            return [(node.name, node.name_span), *node.flags]
        case tree.Def() | tree.Fold() | tree.Rule():
            return [(node.name, node.name_span)]
        case tree.Test():
            return [(node.rule, node.rule_span)]
        case tree.Call():
            return [(node.func, node.func_span)]
        case tree.Like():
            return [(node.source, node.source_span)]
        case tree.Each():
            return list(node.operators)
        case tree.SchemeSpec():
            axis = [] if node.axis is None or node.axis_span is None else [(node.axis, node.axis_span)]
            return [(node.scheme, node.scheme_span), *axis]
    return []


def test_parentheses_belong_to_the_node_around_them() -> None:
    product = expression("(a + b) * (c)")
    assert isinstance(product, tree.Binary)
    assert [n.span.text for n in (product, product.left, product.right)] == ["(a + b) * (c)", "a + b", "c"]


def test_a_chain_spans_from_its_first_operand() -> None:
    chain = expression("a - (b) - c")
    assert isinstance(chain, tree.Binary)
    assert chain.left.span.text == "a - (b)"


def test_positions_count_characters_from_one() -> None:
    rule = read('use "日本"\n\tskip at "é" because ""').items[1]
    assert (rule.span.line, rule.span.column, rule.span.end_line, rule.span.end_column) == (2, 2, 2, 24)
