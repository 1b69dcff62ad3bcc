"""Every piece of rule text in docs/language.md is right, and nothing of the language is missing there."""

import re
from pathlib import Path

import pytest

from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.matched import calls_of
from qdsl.lang import tree
from qdsl.lang.flags import FLAGS
from qdsl.lang.format import format_text
from qdsl.lang.grammar import reserved_words
from qdsl.lang.parse import parse_text
from qdsl.lang.program import load_text
from qdsl.ops import lookup
from qdsl.ruleset import with_stock
from qdsl.ruletest.run import run_tests

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"(?:<!-- not run: tests/reference: (\w+) -->\n)?```qrule\n(.*?)```", re.DOTALL)
SNIPPETS = [(kind, text) for kind, text in SNIPPET.findall(PAGE)]
ITEMS = [text for kind, text in SNIPPETS if kind == "items"]
WRAPPED = {
    "parsed": "{}",
    "match": "fold f match {} rewrite y = x",
    "when": "fold f match y = nn.relu(x) when {} rewrite y = x",
    "annotate": "rule r match y = nn.relu(x) annotate {}",
    "realize": "rule r match y = nn.relu(x) annotate x as float realize {}",
}
"""How a piece of a clause becomes an item; guards stand one on a line."""


def test_every_snippet_says_how_it_is_tested() -> None:
    assert {kind for kind, _ in SNIPPETS} == {"items", *WRAPPED}


@pytest.mark.parametrize("text", ITEMS, ids=lambda text: text.split("\n")[0])
def test_items_check_and_their_tests_pass(text: str) -> None:
    rules = with_stock(load_text(text))
    found = [d for d in rules.check() if d.severity != "note" and d.code not in ("Q0407", "Q0410")]
    assert [f"{d.code} {d.message}" for d in found] == []
    assert [f"{case.title}: {case.message}" for case in run_tests(rules).cases if not case.passed] == []
    assert format_text(text).text == text


@pytest.mark.parametrize(("kind", "text"), [s for s in SNIPPETS if s[0] in WRAPPED], ids=lambda part: part[:12])
def test_pieces_of_clauses_are_read(kind: str, text: str) -> None:
    pieces = text.strip().split("\n") if kind == "when" else [text]
    for piece in pieces:
        file, diagnostics = parse_text(WRAPPED[kind].format(piece), "language.md")
        assert diagnostics == []
        assert file is not None
        for call in (c for item in file.items for c in calls_of(item)):
            assert call.func in GUARDS or call.func in BUILDERS or lookup(call.func), call.func


def test_every_guard_and_builder_is_described() -> None:
    for builtin in (*GUARDS.values(), *BUILDERS.values()):
        assert f"| `{builtin.signature}` |" in PAGE, builtin.signature


def test_no_other_guard_or_builder_is_described() -> None:
    tables = re.findall(r"\n\| (?:guard|builder) \|.*?\n\n", PAGE, re.DOTALL)
    named = {name for table in tables for name in re.findall(r"^\| `(\w+)\(", table, re.MULTILINE)}
    assert named == {*GUARDS, *BUILDERS}


def test_every_reserved_word_and_flag_is_named() -> None:
    fences = re.findall(r"^```.*?^```", PAGE, re.DOTALL | re.MULTILINE)
    inline = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", PAGE, flags=re.DOTALL | re.MULTILINE))
    quoted = {word for piece in (*fences, *inline) for word in piece.split()}
    assert reserved_words() <= quoted
    assert set(FLAGS) <= quoted
    assert "`24 bits`" in PAGE


def test_every_kind_of_item_mark_and_outcome_is_shown() -> None:
    shown: set[type] = set()
    for kind, text in SNIPPETS:
        for piece in text.strip().split("\n") if kind == "when" else [text]:
            file, _ = parse_text(WRAPPED.get(kind, "{}").format(piece), "language.md")
            assert file is not None
            shown |= {type(node) for node in tree.walk(file)}
    assert shown >= {*tree.Item.__args__, *tree.Mark.__args__, *tree.Spec.__args__, *tree.Outcome.__args__}
    assert shown >= {*tree.Target.__args__, tree.AttributesOf, tree.Along, tree.Field, tree.Logic, tree.Compare}
