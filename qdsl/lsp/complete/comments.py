"""In a comment that allows findings: the codes of what is found and can be allowed."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.allow import ALLOW
from qdsl.lang.tokens import comments
from qdsl.lsp.complete.proposal import Proposal
from qdsl.lsp.document import Document


def allowances(document: Document, offset: int) -> Iterator[Proposal]:
    """Codes for `# qdsl: allow`, those of the nearest lines first; nothing in any other comment."""
    found = (s for s in comments(document.source, document.words) if s.start < offset <= s.end)
    comment = next((s for s in found if ALLOW.match(s.text)), None)
    if comment is None:
        return
    told: set[str] = set()
    for finding in sorted(document.findings, key=lambda d: abs(d.primary.span.line - comment.line)):
        if not finding.is_error and finding.code not in told and finding.code != "Q0412":
            told.add(finding.code)
            yield Proposal(finding.code, "text", finding.message)
