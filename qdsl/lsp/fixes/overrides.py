"""Which rule goes first: ``write `rule a overrides b` ``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem

HEAD = re.compile(r"`rule (\w+) overrides (\w+)`")


def write_overrides(problem: Problem) -> Iterator[Fix]:
    """The overridden rule added to the head of the other, where that is in this document."""
    for first, second in HEAD.findall(problem.help):
        for item in problem.document.items:
            if isinstance(item, tree.Rule) and item.name == first:
                title = f"Let {first} override {second}"
                if item.overrides:
                    end = item.overrides[-1].span.end
                    yield Fix(title, (Edit(end, end, f", {second}"),))
                else:
                    end = item.each.span.end if item.each else item.name_span.end
                    yield Fix(title, (Edit(end, end, f" overrides {second}"),))
