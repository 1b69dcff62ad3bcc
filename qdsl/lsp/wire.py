"""Between the server's characters and paths and the protocol's positions and URIs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.source import Span
from qdsl.lsp.document import Document
from qdsl.lsp.edits import Edit
from qdsl.lsp.positions import Places
from qdsl.lsp.texts import real

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
UNNECESSARY = ("Q0203", "Q0410", "Q0412")
"""Codes of what could as well be left out; editors show it faded."""

places = lru_cache(maxsize=64)(Places)


class Wire:
    """One session's way of counting and naming."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self.uris: dict[str, str] = {}
        """The URIs of open documents as the editor wrote them, by real path."""

    def path(self, uri: str) -> str:
        """The real path of a URI; a document that is in no file has one made up of its URI."""
        return real(to_fs_path(uri) or uri)

    def uri(self, path: str) -> str:
        return self.uris.get(real(path)) or from_fs_path(real(path)) or path

    # ---- places

    def offset(self, document: Document, position: types.Position) -> int:
        return places(document.text, self.encoding).offset(position.line, position.character)

    def position(self, text: str, offset: int) -> types.Position:
        return types.Position(*places(text, self.encoding).place(offset))

    def range(self, span: Span) -> types.Range:
        return self.between(span.source.text, span.start, span.end)

    def between(self, text: str, start: int, end: int) -> types.Range:
        return types.Range(self.position(text, start), self.position(text, end))

    def location(self, span: Span) -> types.Location:
        return types.Location(self.uri(span.path), self.range(span))

    # ---- edits

    def edits(self, text: str, edits: Iterable[Edit]) -> list[types.TextEdit]:
        return [types.TextEdit(self.between(text, e.start, e.end), e.text) for e in edits]

    def workspace_edit(self, spans: Sequence[Span], text: str) -> types.WorkspaceEdit:
        """The same text written at places in any number of files."""
        changes: dict[str, list[types.TextEdit]] = {}
        for span in spans:
            changes.setdefault(self.uri(span.path), []).append(types.TextEdit(self.range(span), text))
        return types.WorkspaceEdit(changes=changes)

    # ---- findings

    def diagnostic(self, finding: Diagnostic) -> types.Diagnostic:
        """A finding with its labels as related places, and its help line under the message."""
        lines = [finding.message]
        if finding.primary.message and finding.primary.message not in finding.message:
            lines.append(finding.primary.message)
        if finding.help:
            lines.append(f"help: {finding.help}")
        related = [
            types.DiagnosticRelatedInformation(self.location(label.span), label.message) for label in finding.secondary
        ]
        return types.Diagnostic(
            range=self.range(finding.primary.span),
            message="\n".join(lines),
            severity=SEVERITIES[finding.severity],
            code=finding.code,
            source="qdsl",
            tags=[types.DiagnosticTag.Unnecessary] if finding.code in UNNECESSARY else None,
            related_information=related or None,
        )
