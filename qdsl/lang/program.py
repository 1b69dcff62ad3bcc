"""A set of rule files as one program: `use` followed, each file once, items in the order they stand in."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from qdsl.formats.format import STORAGE_BITS, SchemeType
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.files import read_source, unreadable
from qdsl.lang.parse import Parsed, parse
from qdsl.lang.source import Source, Span

DEEPEST_USE = 200
"""Files that may be open within each other."""

Kind = TypeVar("Kind", bound=tree.Node)


@dataclass
class Program:
    """What the checker and the passes work on. Duplicate names are kept in `items`; the dictionaries hold the first."""

    files: tuple[tree.File, ...] = ()
    """In the order in which they were opened."""
    items: tuple[tree.Item, ...] = ()
    """All items but `use`; those of a used file stand where its `use` does."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Q0001 and Q0002, file by file in the order of `files`."""
    sources: dict[str, Source] = field(default_factory=dict)
    """The texts by their path as shown in messages."""
    unread: frozenset[str] = frozenset()
    """Names that items with syntax errors would have declared: not to be reported as unknown."""

    @cached_property
    def schemes(self) -> dict[str, tree.Scheme]:
        return _first_by_name(self._all(tree.Scheme))

    @cached_property
    def defs(self) -> dict[str, tree.Def]:
        return _first_by_name(self._all(tree.Def))

    @cached_property
    def folds(self) -> tuple[tree.Fold, ...]:
        return self._all(tree.Fold)

    @cached_property
    def rules(self) -> tuple[tree.Rule, ...]:
        return self._all(tree.Rule)

    @cached_property
    def skips(self) -> tuple[tree.Skip, ...]:
        return self._all(tree.Skip)

    @cached_property
    def tests(self) -> tuple[tree.Test, ...]:
        return self._all(tree.Test)

    @cached_property
    def scheme_types(self) -> dict[str, SchemeType]:
        """The schemes with their flags resolved; one whose dtype no backend quantizes to (Q0307) is left out."""
        return {name: scheme_type(s) for name, s in self.schemes.items() if s.dtype in STORAGE_BITS}

    def _all(self, kind: type[Kind]) -> tuple[Kind, ...]:
        return tuple(item for item in self.items if isinstance(item, kind))


def scheme_type(scheme: tree.Scheme) -> SchemeType:
    """A scheme item as a type: symmetric and per tensor where no flag says otherwise."""
    return SchemeType(
        name=scheme.name,
        dtype=scheme.dtype,
        symmetric="asymmetric" not in scheme.flag_names,
        per_channel="per_channel" in scheme.flag_names,
        narrow="narrow" in scheme.flag_names,
        bits=scheme.bits,
        pow2="pow2" in scheme.flag_names,
    )


@dataclass(frozen=True)
class Reader:
    """Where texts come from; an editor reads unsaved ones from its buffers, and parses each only once."""

    read: Callable[[str, Span | None], Source | Diagnostic] = read_source
    parse: Callable[[Source], Parsed] = parse


def load_program(paths: Sequence[str | Path], reader: Reader = Reader()) -> Program:
    """The program of some rule files and of all that they use. Never raises: what is wrong is in `diagnostics`."""
    loader = _Loader(reader)
    for path in paths:
        loader.load(os.fspath(path), None)
    return loader.program()


def load_text(text: str, path: str = "<text>", reader: Reader = Reader()) -> Program:
    """The program of a rule text that is in no file; what it uses is looked for relative to `path`."""
    loader = _Loader(reader)
    loader.take(Source(path, text), os.path.realpath(path))
    return loader.program()


class _Loader:
    """One walk over the files, depth first."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.files: list[tree.File] = []
        self.items: list[tree.Item] = []
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, Source] = {}
        self.unread: set[str] = set()
        self.seen: set[str] = set()
        self.open: list[tuple[str, str, Span]] = []
        """The files being read, outermost first: real path, path as shown, and the `use` in it that is followed."""

    def program(self) -> Program:
        files, items, unread = tuple(self.files), tuple(self.items), frozenset(self.unread)
        return Program(files, items, self.diagnostics, self.sources, unread)

    def load(self, path: str, used_at: Span | None) -> None:
        """Read a file that no file being read is, and that was not read before."""
        real = os.path.realpath(path) if "\0" not in path else path
        if any(real == other for other, _, _ in self.open):
            self.diagnostics.append(self._cycle(real))
            return
        if real in self.seen:
            return
        if len(self.open) >= DEEPEST_USE:
            reason = f"files use each other more than {DEEPEST_USE} deep"
            self.diagnostics.append(unreadable(path, used_at, reason, "use the files from one that names them all"))
            return
        source = self.reader.read(path, used_at)
        if isinstance(source, Diagnostic):
            self.seen.add(real)
            self.diagnostics.append(source)
            return
        self.take(source, real)

    def take(self, source: Source, real: str) -> None:
        """Parse a source and follow its uses."""
        self.seen.add(real)
        parsed = self.reader.parse(source)
        self.sources[source.path] = source
        self.diagnostics.extend(parsed.diagnostics)
        self.unread |= parsed.unread
        if parsed.file is None:
            return
        self.files.append(parsed.file)
        for item in parsed.file.items:
            if not isinstance(item, tree.Use):
                self.items.append(item)
                continue
            self.open.append((real, source.path, item.span))
            self.load(os.path.normpath(os.path.join(os.path.dirname(source.path), item.path)), item.span)
            self.open.pop()

    def _cycle(self, real: str) -> Diagnostic:
        """The Q0002 of a `use` that leads back to a file being read, with the way there."""
        ring = self.open[next(i for i, (other, _, _) in enumerate(self.open) if other == real) :]
        way = " -> ".join([*(shown for _, shown, _ in ring), ring[0][1]])
        label = Label(ring[-1][2], "leads back" if len(ring) > 1 else "this file itself")
        others = tuple(Label(span, "by way of this") for _, _, span in ring[:-1])
        message = f"rule files use each other in a cycle: {way}"
        return Diagnostic(
            "Q0002", "error", message, label, others, "remove one `use`: a file sees the items of all others"
        )


def _first_by_name(items: Sequence[Kind]) -> dict[str, Kind]:
    found: dict[str, Kind] = {}
    for item in items:
        found.setdefault(item.name, item)  # type: ignore[attr-defined]
    return found
