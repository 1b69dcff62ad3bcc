"""Pages in Markdown: one for each rule and fold, and an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from qdsl.lang import tree
from qdsl.ops import lookup
from qdsl.ruledoc.marks import scheme_words
from qdsl.ruledoc.model import RuleDoc, document, shown_path

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet

WRITTEN_BY = "<!-- written by qdsl doc -->"
"""The first line of every page, by which a later run knows that it may be replaced."""
INDEX = "index.md"


def pages(rules: RuleSet) -> dict[str, str]:
    """The text of each page by the name of its file; the index comes first."""
    docs = document(rules)
    known = {doc.name for doc in docs}
    made = {f"{doc.name}.md": _whole(rule_page(doc, known)) for doc in docs}
    return {INDEX: _whole(index_page(docs, rules)), **made}


def _whole(lines: Iterable[str]) -> str:
    return "\n".join([WRITTEN_BY, *lines]) + "\n"


def rule_page(doc: RuleDoc, known: set[str]) -> Iterator[str]:
    """The page of one rule, line by line; `known` are the names that have pages."""
    yield from (f"# {doc.name}", "")
    if doc.doc:
        yield from (doc.doc, "")
    if doc.remark:
        yield from ("```text", doc.remark, "```", "")
    yield from (f"A {doc.kind} tried at {_any_of(doc.roots)}; {doc.file}, line {doc.line}.", "")
    yield from _code(doc.source)
    for text in doc.defs:
        yield from ("", *_code(text))
    yield from ("", "## Match", "", "```mermaid", doc.graph, "```")
    if doc.guard:
        yield from ("", "## When", "")
        yield from _table(("term", "asks"), [(_cell_code(term), asks) for term, asks in doc.guard])
    if doc.marks:
        yield from ("", "## Marks", "")
        rows = [(_cell_code(r.value), r.place, _cell_code(r.mark), r.meaning) for r in doc.marks]
        yield from _table(("value", "is", "mark", "format"), rows)
    yield from ("", "## Operators", "")
    yield from _table(("operator", "what it computes"), [_operator(name) for name in doc.operators])
    yield from _neighbours(doc, known)
    yield from ("", "## Tests", "")
    if not doc.tests:
        yield "None."
    for number, test in enumerate(doc.tests):
        yield from ([""] if number else [])
        yield from (f"### {test.title}", "", *_code(test.source))


def _any_of(names: Sequence[str]) -> str:
    """`a`, `b` or `c`."""
    shown = [f"`{name}`" for name in names]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown) or "no known operator"


def _neighbours(doc: RuleDoc, known: set[str]) -> Iterator[str]:
    if not doc.overrides and not doc.overridden_by:
        return
    yield from ("", "## Other rules", "")
    if doc.overrides:
        yield f"It is tried before {_links(doc.overrides, known)}, which it overrides."
    if doc.overridden_by:
        yield f"{_links(doc.overridden_by, known)} {'is' if len(doc.overridden_by) == 1 else 'are'} tried before it."


def _links(names: Sequence[str], known: set[str]) -> str:
    return ", ".join(f"[{name}]({name}.md)" if name in known else f"`{name}`" for name in names)


def _operator(name: str) -> tuple[str, str]:
    operator = lookup(name)
    assert operator is not None
    return _cell_code(operator.signature), operator.doc.split(". ")[0].rstrip(".")


def index_page(docs: Sequence[RuleDoc], rules: RuleSet) -> Iterator[str]:
    """The index: by file, by operator, and the formats."""
    yield from ("# Rules", "")
    yield f"{_count(docs, 'rule')} and {_count(docs, 'fold')}. Folds run first, float to float; rules choose formats."
    for file in dict.fromkeys(doc.file for doc in docs):
        head = _head(rules, file)
        yield from ("", f"## {file}", "", *([head, ""] if head else []))
        here = [doc for doc in docs if doc.file == file]
        rows = [(f"[{doc.name}]({doc.name}.md)", doc.kind, doc.doc or doc.remark.split("\n")[0]) for doc in here]
        yield from _table(("name", "", "what it does"), rows)
    yield from ("", "## By operator", "")
    by_root: dict[str, list[str]] = {}
    for doc in docs:
        for name in doc.roots:
            by_root.setdefault(name, []).append(doc.name)
    known = {doc.name for doc in docs}
    yield from _table(
        ("operator", "tried there"), [(_cell_code(n), _links(by_root[n], known)) for n in sorted(by_root)]
    )
    schemes = [item for item in rules.own.items if isinstance(item, tree.Scheme)]
    if schemes:
        yield from ("", "## Formats", "")
        yield from _table(("scheme", "format"), [(_cell_code(s.name), scheme_words(s)) for s in schemes])


def _count(docs: Sequence[RuleDoc], kind: str) -> str:
    number = sum(doc.kind == kind for doc in docs)
    return f"{number} {kind}{'s' * (number != 1)}"


def _head(rules: RuleSet, file: str) -> str:
    """The comment that a file opens with, as a paragraph."""
    source = next(s for path, s in rules.own.sources.items() if shown_path(path) == file)
    lines: list[str] = []
    while (line := source.line(len(lines) + 1)).startswith("#"):
        lines.append(line.lstrip("#- ").rstrip())
    return "\n".join(lines).strip()


def _code(text: str) -> Iterator[str]:
    yield from ("```qrule", text, "```")


def _cell_code(text: str) -> str:
    return f"`{text}`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
