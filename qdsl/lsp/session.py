"""The state of one editor's session: its buffers, what is known of each, and how tests went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from qdsl.lsp.document import Document
from qdsl.lsp.lenses import Verdict
from qdsl.lsp.texts import Texts, real


@dataclass
class Session:
    """Changed by one thread only; a document, once handed out, does not change."""

    texts: Texts = field(default_factory=Texts)
    verdicts: dict[str, dict[tuple[str, str], Verdict]] = field(default_factory=dict)
    """By the path of the document, then by rule and title."""
    _documents: dict[str, Document] = field(default_factory=dict)

    def update(self, buffers: Mapping[str, str], folders: Iterable[str]) -> None:
        """What is open now, by path, and the folders of the workspace. Files on disk may have changed as well."""
        self.texts = Texts({real(path): text for path, text in buffers.items()}, tuple(folders))
        self._documents = {}

    def document(self, path: str) -> Document:
        """The document at a path as it stands now."""
        path = real(path)
        if path not in self._documents:
            self._documents[path] = Document(path, self.texts)
        return self._documents[path]

    def is_current(self, document: Document) -> bool:
        """Whether nothing has changed since a document was handed out."""
        return document.texts is self.texts

    def verdicts_of(self, document: Document) -> dict[tuple[str, str], Verdict]:
        """How the tests of a document went, as far as they have been run."""
        return self.verdicts.setdefault(document.path, {})

    def affected(self, path: str) -> list[Document]:
        """The open documents whose findings may change with a text: itself, and those that use it."""
        changed = real(path)
        documents = (self.document(p) for p in self.texts.open)
        return [d for d in documents if d.path == changed or changed in map(real, d.rules.own.sources)]
