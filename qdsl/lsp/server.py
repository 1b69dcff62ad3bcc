"""The server: the protocol, the session and the way between them, and what is done when a text changes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lsp.document import Document
from qdsl.lsp.session import Session
from qdsl.lsp.uses import findings_of_used
from qdsl.lsp.wire import Wire
from qdsl.version import __version__

QUIET = 0.2
"""Seconds without a key before the checker looks at a text."""


class RuleServer(LanguageServer):
    """`qdsl lsp`. Texts come whole with every change: they are small, and nothing can get out of step."""

    def __init__(self) -> None:
        super().__init__("qdsl", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.session = Session()
        self.wire = Wire()
        self.checking: dict[str, asyncio.Task[None]] = {}
        """Checks that wait or run, by path."""
        self.running: set[asyncio.Task[Any]] = set()
        """Test runs."""

    def document(self, uri: str) -> Document:
        return self.session.document(self.wire.path(uri))

    # ---- when something changes

    def refresh(self) -> None:
        """Take over what is open, and forget what was known of the texts."""
        self.wire.encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        opened = self.workspace.text_documents.values()
        self.wire.uris = {self.wire.path(d.uri): d.uri for d in opened}
        folders = [self.wire.path(folder.uri) for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_path:
            folders = [self.workspace.root_path]
        self.session.update({self.wire.path(d.uri): d.source for d in opened}, folders)

    def changed(self, uri: str, quiet: float = QUIET) -> None:
        """A text is another one than before: check it, and those that use it, once no key has been hit for a while."""
        self.refresh()
        path = self.wire.path(uri)
        if path in self.checking:
            self.checking[path].cancel()
        self.checking[path] = asyncio.get_running_loop().create_task(self._check_later(path, quiet))

    def changed_on_disk(self) -> None:
        """Files that are not open may have changed: everything is checked anew."""
        self.refresh()
        for path in self.session.texts.open:
            self.changed(self.wire.uri(path))

    def closed(self, uri: str) -> None:
        """A text is on disk only; its findings are no longer shown."""
        self.refresh()
        if (waiting := self.checking.pop(self.wire.path(uri), None)) is not None:
            waiting.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def _check_later(self, path: str, quiet: float) -> None:
        await asyncio.sleep(quiet)
        texts = self.session.texts
        documents = await asyncio.to_thread(self.session.affected, path)
        for document in documents:
            findings = await asyncio.to_thread(_findings, document)
            if self.session.texts is texts:
                self.publish(document, map(self.wire.diagnostic, findings))

    def publish(self, document: Document, diagnostics: Iterable[types.Diagnostic]) -> None:
        """Show findings, and the failures of tests that are as they were when they failed."""
        uri = self.wire.uri(document.path)
        version = self.workspace.get_text_document(uri).version
        every = [*diagnostics, *self.failures(document)]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, every, version))

    def failures(self, document: Document) -> Iterable[types.Diagnostic]:
        """The failed tests of a document as findings."""
        verdicts = self.session.verdicts_of(document)
        for item in document.program.tests:
            verdict = verdicts.get((item.rule, item.title))
            if item.span.path != document.path or verdict is None or verdict.passed:
                continue
            if verdict.text == item.span.text:
                place = self.wire.range(item.rule_span)
                yield types.Diagnostic(
                    place, verdict.message, types.DiagnosticSeverity.Error, source="qdsl test", code="failed"
                )

    # ---- what the editor can do

    def can(self, *path: str) -> bool:
        """Whether the editor has a capability: can("workspace", "code_lens", "refresh_support")."""
        value: Any = self.client_capabilities
        for name in path:
            value = getattr(value, name, None)
        return bool(value)

    def say(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """A message box."""
        self.window_show_message(types.ShowMessageParams(kind, text))


def _findings(document: Document) -> list[Diagnostic]:
    return [*document.findings, *findings_of_used(document)]
