"""A term more in the guard: ``add `and constant(w)` to the guard``, ``add `when constant(w)` ``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem

TERM = re.compile(r"add `(?:and |when )?([^`]+)`|add (\w+\(\w+\)) to the guard")


def add_to_guard(problem: Problem) -> Iterator[Fix]:
    """The term joined to the guard by `and`; a guard, where there is none."""
    item = problem.item
    if not isinstance(item, tree.Rule | tree.Fold):
        return
    for quoted, bare in TERM.findall(problem.help):
        term = quoted or bare
        if item.when is None:
            end = item.match[-1].span.end
            yield Fix(f"Add `when {term}`", (Edit(end, end, f"\n    when      {term}"),))
            continue
        start, end = item.when.span.start, item.when.span.end
        joined: tuple[Edit, ...] = (Edit(end, end, f" and {term}"),)
        if isinstance(item.when, tree.Logic) and item.when.op == "or":
            joined = (Edit(start, start, "("), Edit(end, end, f") and {term}"))
        yield Fix(f"Add `and {term}` to the guard", joined)
