"""The texts that the server sees: those open in the editor as they stand there, all others as they are on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.files import read_source
from qdsl.lang.parse import Parsed, parse
from qdsl.lang.program import Program, Reader, load_text
from qdsl.lang.source import Source, Span

parse_once = lru_cache(maxsize=512)(parse)
"""Trees are frozen, so that one of a text serves all who ask."""

IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__", "build", "dist"})
MOST_FILES = 2000
"""Rule files of a workspace beyond this are not looked for: it is then no folder of rules, but somebody's home."""


@dataclass(frozen=True)
class Texts:
    """A snapshot: it does not change while something is computed from it."""

    open: Mapping[str, str] = field(default_factory=dict)
    """The texts of open documents by their real path."""
    folders: tuple[str, ...] = ()
    """The workspace."""

    def read(self, path: str, used_at: Span | None = None) -> Source | Diagnostic:
        """A text, or the Q0002 that says why there is none."""
        text = self.open.get(real(path))
        return read_source(path, used_at) if text is None else Source(path, text)

    def source(self, path: str) -> Source | None:
        """A text, or None."""
        found = self.read(path)
        return found if isinstance(found, Source) else None

    def program(self, path: str) -> Program:
        """A document with what it uses."""
        source = self.source(path)
        return load_text(source.text if source else "", path, self.reader)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.read, parse_once)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The rule files of the workspace and those that are open, each once."""
        found: dict[str, None] = dict.fromkeys(self.open)
        for folder in self.folders:
            for place, folders, files in os.walk(folder):
                folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in IGNORED_FOLDERS)
                found.update((real(os.path.join(place, f)), None) for f in sorted(files) if f.endswith(".qrule"))
                if len(found) > MOST_FILES:
                    return tuple(found)
        return tuple(found)

    def is_ours(self, path: str) -> bool:
        """Whether a file may be changed: it is open, or in the workspace."""
        there = real(path)
        return there in self.open or any(Path(there).is_relative_to(real(folder)) for folder in self.folders)


def real(path: str) -> str:
    """A path that is the same however a file is reached."""
    return os.path.realpath(path)


def parsed(source: Source) -> Parsed:
    """The tree of a source, from the store of those already made."""
    return parse_once(source)
