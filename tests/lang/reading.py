"""Reading rule text in tests: what must be right, and what the rules of the product are."""

from pathlib import Path

from qdsl.lang import tree
from qdsl.lang.parse import parse_text
from qdsl.lang.render import render
from qdsl.lang.stock import rules_folder

SAMPLES = Path(__file__).parent / "samples.qrule"
RULE_FILES = [SAMPLES, *sorted(rules_folder().rglob("*.qrule"))]


def read(text: str) -> tree.File:
    """The tree of a text without a syntax error."""
    file, diagnostics = parse_text(text, "text.qrule")
    assert not diagnostics, render(diagnostics)
    assert file is not None
    return file


def expression(text: str) -> tree.Expr:
    """The tree of an expression."""
    (item,) = read(f"def f() = {text}").items
    assert isinstance(item, tree.Def)
    return item.body


def messages(text: str) -> list[str]:
    """The findings of a text, without their places."""
    return [d.message for d in parse_text(text, "text.qrule")[1]]
