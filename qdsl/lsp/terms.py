"""The guard term in `skips "constant(w)"`: a string that is an expression."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lang.source import Source
from qdsl.lsp.texts import parse_once

FRAME = "def f() = "


@dataclass(frozen=True)
class Term:
    """A term's tree. Its spans count from the beginning of a frame around it."""

    expr: tree.Expr
    shift: int = len(FRAME)


def term_expression(text: str) -> Term | None:
    """The tree of a term, or None where it is no expression."""
    parsed = parse_once(Source("<term>", FRAME + text))
    items = parsed.file.items if parsed.file else ()
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], tree.Def):
        return None
    return Term(items[0].body)
