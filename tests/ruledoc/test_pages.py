"""Pages of rules: those of pages/gates.qrule are the .md files beside it; run with QDSL_ACCEPT=1 to write them."""

import os
import re
from pathlib import Path

import pytest

from qdsl.ops import lookup
from qdsl.ruledoc import document, pages
from qdsl.ruleset import load_rules

FOLDER = Path(__file__).parent / "pages"
NODE = re.compile(r'    (n\d+)(\(\["[^"<>]+"\]\)|\[\("[^"<>]+"\)\]|\["[^"<>]+"\]|\(\("[^"<>]+"\)\))')
EDGE = re.compile(r"    (n\d+) --> (n\d+)")


@pytest.fixture(scope="module")
def stock() -> dict[str, str]:
    return pages(load_rules())


def test_pages_of_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    made = pages(load_rules("gates.qrule", stock=False))
    if os.environ.get("QDSL_ACCEPT"):
        for name, text in made.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
    assert {file.name for file in FOLDER.glob("*.md")} == set(made)
    for name, text in made.items():
        assert text == (FOLDER / name).read_text(encoding="utf-8"), name


def test_every_rule_and_fold_has_a_page(stock: dict[str, str]) -> None:
    program = load_rules().own
    assert set(stock) == {"index.md", *(f"{item.name}.md" for item in (*program.rules, *program.folds))}
    for item in (*program.rules, *program.folds):
        assert f"```qrule\n{item.span.text}\n```" in stock[f"{item.name}.md"]


def test_links_lead_to_pages(stock: dict[str, str]) -> None:
    for name, text in stock.items():
        for target in re.findall(r"\]\(([^)]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            assert target in stock, f"{name} links to {target}"


def test_tables_have_as_many_cells_as_their_heads(stock: dict[str, str]) -> None:
    for name, text in stock.items():
        width = 0
        for line in re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert cells == width or not cells or not width, f"{name}: {line}"
            width = cells


def test_graphs_are_well_formed() -> None:
    for doc in document(load_rules()):
        head, *lines = doc.graph.splitlines()
        assert head == "graph TD"
        nodes = [found[1] for line in lines if (found := NODE.fullmatch(line))]
        edges = [(found[1], found[2]) for line in lines if (found := EDGE.fullmatch(line))]
        assert len(nodes) + len(edges) == len(lines), doc.name
        assert len(set(nodes)) == len(nodes)
        assert {node for edge in edges for node in edge} == set(nodes), f"{doc.name}: a node hangs in the air"
        assert len(set(edges)) <= len(edges)


def test_marks_say_what_formats_are() -> None:
    docs = {doc.name: doc for doc in document(load_rules())}
    weight = next(row for row in docs["convolution"].marks if row.value == "w")
    assert weight.mark == "as weight[O]"
    assert weight.place == "weight of conv"
    assert "int8, symmetric" in weight.meaning
    assert "along O" in weight.meaning
    assert docs["relu"].marks[0].meaning == "the format and scale of x"


def test_operators_are_described() -> None:
    for doc in document(load_rules()):
        assert doc.roots, f"{doc.name} has no root"
        assert all(lookup(name) is not None for name in doc.operators)
        assert set(doc.roots) <= set(doc.operators)


def test_overriding_is_told_on_both_pages(stock: dict[str, str]) -> None:
    assert "It is tried before [multiply](multiply.md)" in stock["hardswish.md"]
    assert "[hardswish](hardswish.md)" in stock["multiply.md"]
