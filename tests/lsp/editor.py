"""What an editor does with a text: open it, type in it, point at places."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pytest_lsp import LanguageClient


@dataclass
class Buffer:
    """A text open in the client; `|` in a text is where the cursor is."""

    client: LanguageClient
    uri: str
    text: str
    version: int = 1

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def at(self, marked: str) -> types.Position:
        """The place of `|` in a piece of the text that occurs once."""
        piece = marked.replace("|", "", 1)
        assert self.text.count(piece) == 1, f"{piece!r} occurs {self.text.count(piece)} times"
        before = self.text[: self.text.index(piece) + marked.index("|")]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    async def findings(self) -> list[types.Diagnostic]:
        """What the server next says of the text."""
        while True:
            said = await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            if said.uri == self.uri and said.version == self.version:
                return list(said.diagnostics)

    async def write(self, text: str) -> None:
        """Another text, as after typing."""
        self.text, self.version = text, self.version + 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.identifier))


def open_text(client: LanguageClient, name: str, text: str, save: bool = False) -> Buffer:
    """A text opened under a name in the workspace; on disk only if saved."""
    path = client.folder / name
    if save:
        path.write_text(text, encoding="utf-8")
    buffer = Buffer(client, path.as_uri(), text)
    item = types.TextDocumentItem(buffer.uri, "qrule", buffer.version, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return buffer


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """A text with the edits of a reply made in it."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        start = starts[edit.range.start.line] + edit.range.start.character
        end = starts[edit.range.end.line] + edit.range.end.character
        text = text[:start] + edit.new_text + text[end:]
    return text
