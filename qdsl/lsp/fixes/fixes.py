"""The fixes of a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lsp.document import Document
from qdsl.lsp.fixes.allow import allow
from qdsl.lsp.fixes.code import write_code
from qdsl.lsp.fixes.delete import delete
from qdsl.lsp.fixes.fix import Fix, Problem
from qdsl.lsp.fixes.guard import add_to_guard
from qdsl.lsp.fixes.mark import add_mark
from qdsl.lsp.fixes.name import write_name
from qdsl.lsp.fixes.overrides import write_overrides
from qdsl.lsp.fixes.tests import add_test
from qdsl.lsp.fixes.verify import Judged, judged

READERS: tuple[Callable[[Problem], Iterator[Fix]], ...] = (
    write_name,
    add_to_guard,
    write_overrides,
    write_code,
    add_mark,
    delete,
    add_test,
)
"""Each reads the help lines that it understands, and yields what they may mean."""

MOST = 6
"""Fixes offered of one finding."""


def fixes(finding: Diagnostic, document: Document) -> list[Fix]:
    """What can be done about a finding of the document, by its help line; each checked to help, the best first.

    Where each of them only brings the next finding to light, those are offered: it takes more than one step.
    """
    problem = Problem(finding, document)
    found: dict[str, Judged] = {}
    for fix in (f for reader in READERS for f in reader(problem)):
        if fix.title not in found and sum(j.is_clean for j in found.values()) < MOST:
            sound = judged(fix, problem)
            if sound is not None:
                found[fix.title] = sound
    clean = [j.fix for j in found.values() if j.is_clean]
    stand = [j for f in allow(problem) if (j := judged(f, problem)) is not None]
    return [*(clean or [j.fix for j in found.values()][:MOST]), *(j.fix for j in stand if j.is_clean)]
