"""Formatting as edits of the lines that change, so that cursors and marks elsewhere stay where they are."""

from __future__ import annotations

from qdsl.lang.format import format_text
from qdsl.lsp.document import Document
from qdsl.lsp.edits import Edit, line_edits


def format_edits(document: Document) -> list[Edit] | None:
    """The edits that bring a document into the one style; None where it has syntax errors."""
    written = format_text(document.text, document.path).text
    return None if written is None else list(line_edits(document.text, written))
