"""Errors in the files that a document uses, told at the `use`: they may be the reason for what is found here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lsp.document import Document
from qdsl.lsp.texts import real


def findings_of_used(document: Document) -> Iterator[Diagnostic]:
    """One finding for each `use` behind which there are errors, with the place of the first."""
    errors: dict[str, list[Diagnostic]] = {}
    for finding in document.every_finding:
        path = real(finding.primary.span.path)
        if finding.is_error and path != document.path:
            errors.setdefault(path, []).append(finding)
    if not errors:
        return
    uses = _uses(document)
    told: set[str] = set()
    for item in document.items:
        if not isinstance(item, tree.Use):
            continue
        behind = [p for p in _reached(_path(item), uses) if p in errors and p not in told]
        told.update(behind)
        found = [d for p in behind for d in errors[p]]
        if found:
            first = found[0]
            others = "" if len(found) == 1 else f" (and {len(found) - 1} more)"
            text = (
                f"{os.path.relpath(first.primary.span.path, os.path.dirname(document.path))}: {first.message}{others}"
            )
            there = Label(first.primary.span, first.message)
            yield Diagnostic(first.code, "error", text, Label(item.span, ""), (there,))


def _uses(document: Document) -> Mapping[str, list[str]]:
    """The files that each file of a program uses."""
    files = {real(file.span.path): file for file in document.rules.own.files}
    return {path: [_path(i) for i in file.items if isinstance(i, tree.Use)] for path, file in files.items()}


def _path(use: tree.Use) -> str:
    return real(os.path.join(os.path.dirname(use.span.path), use.path))


def _reached(path: str, uses: Mapping[str, list[str]]) -> list[str]:
    """A file and all that it uses."""
    found: dict[str, None] = {}
    pending = [path]
    while pending:
        current = pending.pop()
        if current not in found:
            found[current] = None
            pending.extend(uses.get(current, ()))
    return list(found)
