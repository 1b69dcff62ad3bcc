"""What there is to say of a rule or fold, as data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qdsl.check.builtins import GUARDS
from qdsl.check.matched import read_match
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lang.stock import rules_folder
from qdsl.lang.unparse import unparse
from qdsl.ruledoc.graph import mermaid
from qdsl.ruledoc.marks import MarkRow, mark_rows

if TYPE_CHECKING:
    from qdsl.lang.program import Program
    from qdsl.ruleset import RuleSet

SECTION = "# ----"
"""How a comment begins that heads a part of a file; it is not about the rule below it."""


@dataclass(frozen=True)
class TestDoc:
    """A test of a rule."""

    __test__ = False

    title: str
    source: str


@dataclass(frozen=True)
class RuleDoc:
    """One rule or fold."""

    name: str
    kind: str
    """rule | fold"""
    doc: str
    """Its doc string; empty where it has none."""
    remark: str
    """The comment right above it, without its signs: the algebra, as a rule."""
    file: str
    line: int
    source: str
    """The item as it stands in its file."""
    operators: tuple[str, ...]
    """All operators of the match, those of the root first."""
    roots: tuple[str, ...]
    """The operators at which it is tried."""
    guard: tuple[tuple[str, str], ...]
    """Each term of the guard and what it asks, in words where it is one question."""
    marks: tuple[MarkRow, ...]
    overrides: tuple[str, ...]
    overridden_by: tuple[str, ...]
    defs: tuple[str, ...]
    """The text of the defs that it uses."""
    tests: tuple[TestDoc, ...]
    graph: str
    """The match as a Mermaid graph."""


def document(rules: RuleSet) -> list[RuleDoc]:
    """The rules and folds of the files that were asked for, in their order."""
    return [_document(item, rules) for item in rules.own.items if isinstance(item, tree.Rule | tree.Fold)]


def _document(item: tree.Rule | tree.Fold, rules: RuleSet) -> RuleDoc:
    program = rules.program
    matched = read_match(item)
    root = matched.roots[0].value if matched.roots else None
    roots = [o.name for o in matched.operators(root.func)] if isinstance(root, tree.Call) else []
    called = [o.name for call in matched.calls() for o in matched.operators(call.func)]
    is_rule = isinstance(item, tree.Rule)
    return RuleDoc(
        name=item.name,
        kind="rule" if is_rule else "fold",
        doc=item.doc or "",
        remark=remark_above(item.span),
        file=shown_path(item.span.path),
        line=item.span.line,
        source=item.span.text,
        operators=tuple(dict.fromkeys([*roots, *called])),
        roots=tuple(roots),
        guard=tuple((unparse(term), _asks(term)) for term in tree.conjuncts(item.when)),
        marks=mark_rows(item, matched, program.schemes) if isinstance(item, tree.Rule) else (),
        overrides=tuple(name.id for name in item.overrides) if isinstance(item, tree.Rule) else (),
        overridden_by=tuple(r.name for r in program.rules if is_rule and item.name in {n.id for n in r.overrides}),
        defs=tuple(_used_defs(item, program)),
        tests=tuple(TestDoc(t.title, t.span.text) for t in program.tests if t.rule == item.name),
        graph=mermaid(matched),
    )


def _asks(term: tree.Expr) -> str:
    """What a guard term asks, where it is one guard or its negation; comparisons speak for themselves."""
    inner = term.operand if isinstance(term, tree.Unary) and term.op == "not" else term
    if not isinstance(inner, tree.Call) or inner.func not in GUARDS:
        return ""
    words = GUARDS[inner.func].doc
    return words if inner is term else f"not: {words}"


def _used_defs(item: tree.Item, program: Program) -> Iterator[str]:
    """The defs that an item calls or hands to lookup, and those that they use, each once."""
    seen: set[str] = set()
    pending: list[tree.Node] = [item]
    while pending:
        for node in tree.walk(pending.pop()):
            name = node.func if isinstance(node, tree.Call) else node.id if isinstance(node, tree.Name) else None
            if name in program.defs and name not in seen and name is not None:
                seen.add(name)
                yield program.defs[name].span.text
                pending.append(program.defs[name].body)


def remark_above(span: Span) -> str:
    """The comment lines right above an item, from top to bottom; those that head a section are not among them."""
    lines: list[str] = []
    number = span.line - 1
    while (line := span.source.line(number)).startswith("#") and not line.startswith(SECTION):
        lines.insert(0, line.removeprefix("#").removeprefix(" "))
        number -= 1
    # A comment that the file opens with is about the file.
    return "" if number == 0 else "\n".join(lines)


def shown_path(path: str) -> str:
    """A path that says the same on every machine: stock rules as rules/..., others as they were named."""
    real, stock = Path(path).resolve(), rules_folder().resolve()
    if real.is_relative_to(stock):
        return f"rules/{real.relative_to(stock).as_posix()}"
    return Path(os.path.relpath(path)).as_posix() if os.path.isabs(path) and _below_here(path) else path


def _below_here(path: str) -> bool:
    return Path(path).resolve().is_relative_to(Path.cwd().resolve())
