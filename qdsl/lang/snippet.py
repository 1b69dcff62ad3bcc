"""The part of a message that shows the source: lines with numbers, and under each line what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdsl.lang.columns import lay_out
from qdsl.lang.diagnostics import Label
from qdsl.lang.source import Source, Span

Styled = tuple[tuple[str, str], ...]
"""Pieces of a row of text, each with the name of its style."""


@dataclass(frozen=True)
class Row:
    """A row beside the gutter: a source line with its number, or a row of marks with None."""

    number: int | None
    content: Styled


@dataclass(frozen=True)
class Mark:
    """A label's stretch of one line, in characters [start, end) and then in columns of the line as shown."""

    start: int
    end: int
    message: str
    primary: bool

    @property
    def style(self) -> str:
        return "primary" if self.primary else "secondary"

    @property
    def sign(self) -> str:
        return "^" if self.primary else "-"


def snippet(source: Source, labels: Sequence[tuple[Label, bool]]) -> list[Row]:
    """The lines of a source that labels stand on, ascending, and their marks; each label with whether it is primary."""
    marks: dict[int, list[Mark]] = {}
    for label, primary in labels:
        for number, mark in _marks(label, primary):
            marks.setdefault(number, []).append(mark)
    rows: list[Row] = []
    for number in sorted(marks):
        rows.extend(_line_rows(source.line(number), number, marks[number]))
    return rows


def _marks(label: Label, primary: bool) -> list[tuple[int, Mark]]:
    """The marks of one label by line: one, or where it covers several lines, one each on the first and the last."""
    span = _without_trailing_space(label.span)
    source = span.source
    (first, start), (last, end) = source.position(span.start), source.position(span.end)
    start, end = start - 1, end - 1
    if first == last:
        return [(first, Mark(start, max(end, start + 1), label.message, primary))]
    top, bottom = source.line(first), source.line(last)
    indent = len(bottom) - len(bottom.lstrip())
    return [
        (first, Mark(start, max(len(top.rstrip()), start + 1), "", primary)),
        (last, Mark(min(indent, end - 1), end, label.message, primary)),
    ]


def _without_trailing_space(span: Span) -> Span:
    length = len(span.text.rstrip())
    return Span(span.source, span.start, span.start + length) if length else span


def _line_rows(line: str, number: int, marks: list[Mark]) -> list[Row]:
    shown = lay_out(line, min(m.start for m in marks), max(m.end for m in marks))
    placed = [_place(shown.column(m.start), shown.column(m.end), m) for m in marks]
    rows = [Row(number, (("", ""),) if not line else ((shown.text.rstrip(), ""),))]
    for layer in _layers(placed):
        rows.extend(Row(None, content) for content in _layer_rows(layer))
    return rows


def _place(start: int, end: int, mark: Mark) -> Mark:
    return Mark(start, max(end, start + 1), mark.message, mark.primary)


def _layers(marks: list[Mark]) -> list[list[Mark]]:
    """Marks that do not overlap share a row; the primary one is in the first."""
    layers: list[list[Mark]] = []
    for mark in sorted(set(marks), key=lambda m: (not m.primary, m.start, m.end, m.message)):
        for layer in layers:
            if all(mark.end <= other.start or other.end <= mark.start for other in layer):
                layer.append(mark)
                break
        else:
            layers.append([mark])
    return [sorted(layer, key=lambda m: m.start) for layer in layers]


def _layer_rows(layer: list[Mark]) -> list[Styled]:
    """The underlines, the last message beside them, the others hanging below:

    -----   ^^^ the last message
    |
    the first message
    """
    last = layer[-1]
    underline = _row([(m.start, m.sign * (m.end - m.start), m.style) for m in layer])
    rows = [(*underline, (f" {last.message}", last.style)) if last.message else underline]
    hanging = [m for m in layer[:-1] if m.message]
    if hanging:
        rows.append(_row([(m.start, "|", m.style) for m in hanging]))
    for i in reversed(range(len(hanging))):
        mark = hanging[i]
        rows.append(_row([*((m.start, "|", m.style) for m in hanging[:i]), (mark.start, mark.message, mark.style)]))
    return rows


def _row(pieces: list[tuple[int, str, str]]) -> Styled:
    """Texts at their columns, ascending and apart, with the gaps between them filled."""
    content: list[tuple[str, str]] = []
    column = 0
    for start, text, style in pieces:
        content.extend([(" " * (start - column), ""), (text, style)])
        column = start + len(text)
    return tuple(content)
