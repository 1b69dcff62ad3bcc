"""Rule text in the one style. The formatter checks itself, and refuses rather than change what a file says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.errors import QdslError
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.format.between import before_line, behind_last
from qdsl.lang.format.layout import lay_out
from qdsl.lang.format.remarks import read_gaps, remark_texts
from qdsl.lang.format.rows import Row, write
from qdsl.lang.parse import parse
from qdsl.lang.source import Source
from qdsl.lang.tokens import Word, tokenize


class FormatterFault(QdslError):
    """The formatter would have changed what a file says; a fault of qdsl, and the file is left as it is."""


@dataclass(frozen=True)
class Formatted:
    """The outcome for one text."""

    text: str | None
    """The text in our style; None where it has syntax errors."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Q0001 and Q0002 that keep it from being formatted."""


@dataclass(frozen=True)
class Read:
    """A text without syntax errors, taken apart."""

    file: tree.File
    words: tuple[Word, ...]
    source: Source

    @property
    def spellings(self) -> list[str]:
        return [word.text for word in self.words]

    @property
    def remarks(self) -> list[str]:
        return remark_texts(self.source, self.words)


def format_text(text: str, path: str = "<text>") -> Formatted:
    """Rule text in our style; `path` is what messages show. Only blanks and line breaks ever change.

    Raises FormatterFault where the outcome would not say the same, lose a comment or not be stable.
    """
    read = _read(text, path)
    if isinstance(read, tuple):
        return Formatted(None, read)
    written = _write(read)
    _hold_to_promise(read, written, path)
    return Formatted(written)


def _read(text: str, path: str) -> Read | tuple[Diagnostic, ...]:
    source = Source(path, text.removeprefix("\ufeff"))
    parsed = parse(source)
    if parsed.file is None or parsed.diagnostics:
        return parsed.diagnostics
    return Read(parsed.file, tokenize(source).words, source)


def _write(read: Read) -> str:
    layout = lay_out(read.file, read.words, read_gaps(read.source, read.words))

    def rows() -> Iterator[Row]:
        for number, line in enumerate(layout.lines):
            yield from before_line(layout, number)
            yield from layout.rows(line)
        yield from behind_last(layout)

    return write(rows())


def _hold_to_promise(read: Read, written: str, path: str) -> None:
    """Same words, same tree, same comments, and nothing left to change."""
    again = _read(written, path)
    if isinstance(again, tuple):
        broken = "has a syntax error"
    elif again.file != read.file or again.spellings != read.spellings:
        broken = "says something else"
    elif again.remarks != read.remarks:
        broken = "lacks a comment"
    elif _write(again) != written:
        broken = "would be formatted differently the next time"
    else:
        return
    raise FormatterFault(
        f"{path}: internal error: formatted, it {broken}. It is left as it is; please report this with the file"
    )
