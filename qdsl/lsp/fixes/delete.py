"""Something taken away: `delete the binding`, `leave it out`, `remove it`, `delete add from overrides`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qdsl.lang import tree
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem

ASKED = re.compile(r"^(?:delete|remove|leave|keep one)|, or (?:delete|leave)|^deleting")


def delete(problem: Problem) -> Iterator[Fix]:
    """What a help line tells to do without."""
    if not ASKED.search(problem.help):
        return
    if "`overrides`" in problem.help or "overrides" in problem.help:
        yield from _overrides(problem)
        return
    if problem.help.startswith(("delete it", "remove it", "remove one of them")) and problem.finding.code == "Q0001":
        yield Fix(
            f"Delete {problem.span.text}" if problem.span.text.isprintable() else "Delete it", problem.replace("")
        )
        return
    for word, kinds in (
        ("the scheme", (tree.Scheme,)),
        ("the def", (tree.Def,)),
        ("one `use`", (tree.Use,)),
        ("the binding", (tree.Binding,)),
        ("the input", (tree.Input,)),
        ("the two marks", (tree.MarkAs, tree.Share, tree.Like)),
    ):
        node = problem.nearest(*kinds) if word in problem.help else None
        if node is not None:
            yield Fix(f"Delete {' '.join(node.span.text.split())[:60]}", _gone(problem, node))
            return
    yield from _argument(problem)


def _argument(problem: Problem) -> Iterator[Fix]:
    """An argument, or a parameter of a def."""
    for node in problem.around():
        parts: Sequence[tree.Node] = ()
        if isinstance(node, tree.Call):
            parts = node.args
        elif isinstance(node, tree.Def):
            parts = node.parameters
        gone = next((p for p in parts if p.span.start <= problem.span.start and problem.span.end <= p.span.end), None)
        if gone is not None:
            yield Fix(f"Leave {' '.join(gone.span.text.split())} out", problem.without(parts, gone))
            return


def _gone(problem: Problem, node: tree.Node) -> tuple[Edit, ...]:
    """A node deleted, with its line where nothing else stands on it."""
    text, start, end = problem.document.text, node.span.start, node.span.end
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    after = len(text) if after < 0 else after + 1
    if not text[line:start].strip() and not text[end:after].strip():
        start, end = line, after
    return (Edit(start, end, ""),)


def _overrides(problem: Problem) -> Iterator[Fix]:
    item = problem.item
    if not isinstance(item, tree.Rule):
        return
    target = next((t for t in item.overrides if t.span == problem.span), None)
    if target is None:
        return
    if len(item.overrides) > 1:
        yield Fix(f"Do not override {target.id}", problem.without(item.overrides, target))
        return
    words = [w for w in problem.document.words_in(item.span) if w.end <= target.span.start]
    start = words[-2].end if len(words) > 1 else words[-1].start
    yield Fix("Override nothing", (Edit(start, target.span.end, ""),))
