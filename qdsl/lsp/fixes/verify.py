"""Whether a change does what it promises: made on a copy, which the checker then looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.format import format_text
from qdsl.lsp.document import Document
from qdsl.lsp.edits import apply, line_edits
from qdsl.lsp.fixes.fix import Fix, Problem
from qdsl.ruleset import RuleSet


@dataclass(frozen=True)
class Judged:
    """A fix that removes its finding."""

    fix: Fix
    is_clean: bool
    """Whether nothing else comes in its place."""


def judged(fix: Fix, problem: Problem) -> Judged | None:
    """The fix, in the one style where the document is; None where the finding stays, or the text becomes unreadable."""
    document = problem.document
    text = apply(document.text, fix.edits)
    if text == document.text:
        return None
    before, after = findings_of(document), with_text(document, text)
    if _kind(problem.finding) in map(_kind, before):
        come = left_behind(before, findings_of(after), problem.finding)
    else:
        come = left_behind(document.findings, after.findings, problem.finding)
    if come is None:
        return None
    if _in_style(document.text, document.path) == document.text:
        text = _in_style(text, document.path) or text
    is_clean = fix.reveals or all(finding.severity == "note" for finding in come)
    return Judged(replace(fix, edits=tuple(line_edits(document.text, text))), is_clean)


@lru_cache(maxsize=8)
def findings_of(document: Document) -> list[Diagnostic]:
    """What is found in a document, without checking the stock rules that it does not speak of: they are many."""
    rules = document.rules
    own = set(map(id, rules.own.items))
    words = {word.text for word in document.words} | {t for i in rules.own.items for t in _rules_named(i)}
    kept = tuple(
        i for i in rules.program.items if id(i) in own or isinstance(i, tree.Scheme | tree.Def) or _name(i) in words
    )
    program = replace(rules.program, files=rules.own.files, items=kept, sources=dict(rules.own.sources))
    found = RuleSet(program, rules.own, rules.later).check()
    return [d for d in found if d.primary.span.path == document.path]


def _name(item: tree.Item) -> str | None:
    return item.name if isinstance(item, tree.Rule | tree.Fold) else None


def _rules_named(item: tree.Item) -> list[str]:
    """The rules that an item of another file of the program speaks of."""
    if isinstance(item, tree.Test):
        return [item.rule]
    return [t.id for t in item.overrides] if isinstance(item, tree.Rule) else []


def with_text(document: Document, text: str) -> Document:
    """A document as it would be with another text."""
    texts = document.texts
    return Document(document.path, replace(texts, open={**texts.open, document.path: text}))


def left_behind(before: Sequence[Diagnostic], after: Sequence[Diagnostic], gone: Diagnostic) -> list[Diagnostic] | None:
    """The findings that have come in the place of one; None where it is still there, or a syntax error has come."""
    kinds, now = Counter(map(_kind, before)), Counter(map(_kind, after))
    if now[_kind(gone)] >= kinds[_kind(gone)]:
        return None
    come = [d for d in after if now[_kind(d)] > kinds[_kind(d)]]
    return None if any(d.code == "Q0001" for d in come) else come


def _kind(finding: Diagnostic) -> tuple[str, str, str]:
    return finding.code, finding.severity, finding.message


@lru_cache(maxsize=8)
def _in_style(text: str, path: str) -> str | None:
    return format_text(text, path).text
