"""A mark for a value that has none: `say how it is read: gamma as <scheme>, or as float`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem

MARK = re.compile(r"(\w+(?:\.\.\.)?) as <scheme>")
MOST_SCHEMES = 3


def add_mark(problem: Problem) -> Iterator[Fix]:
    """The mark at the end of `annotate`: as each of the schemes without an axis, then as float."""
    yield from _instead_of_any(problem)
    item = problem.item
    found = MARK.search(problem.help)
    if not isinstance(item, tree.Rule) or found is None or not item.annotate:
        return
    end = item.annotate[-1].span.end
    types = problem.document.program.scheme_types
    schemes = [name for name, type_ in types.items() if not type_.per_channel][:MOST_SCHEMES]
    shared = re.search(r"share .*? as ", problem.help)
    for scheme in (*schemes, *(("float",) if "as float" in problem.help else ())):
        mark = f"{shared[0]}{scheme}" if shared else f"{found[1]} as {scheme}"
        replaced = [m for m in item.annotate if {t.id for t in m.targets} & _names(mark)]
        if not replaced:
            yield Fix(f"Mark {mark}", (Edit(end, end, f"\n              {mark}"),))
        elif len(replaced) == 1:
            yield Fix(f"Mark {mark}", (Edit.of(replaced[0].span, mark),))


def _names(mark: str) -> set[str]:
    return set(re.findall(r"\w+", mark.removeprefix("share ").rsplit(" as ", 1)[0]))


def _instead_of_any(problem: Problem) -> Iterator[Fix]:
    """`name the scheme, or write `y like` the operand whose format it has`."""
    mark = problem.nearest(tree.MarkAs, tree.Share)
    if not isinstance(mark, tree.MarkAs | tree.Share) or not problem.help.startswith("name the scheme"):
        return
    item = problem.item
    operands = [t.id for m in item.annotate for t in m.targets] if isinstance(item, tree.Rule) else []
    for name in dict.fromkeys(operands):
        if len(mark.targets) == 1 and name != mark.targets[0].id:
            yield Fix(
                f"Mark {mark.targets[0].id} like {name}",
                problem.replace(f"{mark.targets[0].id} like {name}", mark.span),
            )
    for name, type_ in list(problem.document.program.scheme_types.items())[:MOST_SCHEMES]:
        if not type_.per_channel:
            yield Fix(f"Write {name} instead of any", problem.replace(name, mark.spec.span))
