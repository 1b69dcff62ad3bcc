"""Collecting findings: one place, one code, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from qdsl.check.types.values import Type, describe, scale_text
from qdsl.formats.scale import Scale
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.source import Span
from qdsl.lang.tree import Node


@dataclass
class Findings:
    """Findings about one rule under one choice of its operator."""

    order: tuple[str, ...] = ()
    """Names in the order in which messages show their scales."""
    items: list[Diagnostic] = field(default_factory=list)

    def add(
        self,
        code: str,
        message: str,
        at: Span,
        label: str = "",
        *,
        others: Iterable[Label] = (),
        help: str | None = None,
        severity: str = "error",
    ) -> None:
        """Record a finding; a second one of the same code at the same place is the same mistake."""
        if any(d.code == code and d.primary.span == at for d in self.items):
            return
        self.items.append(Diagnostic(code, severity, message, Label(at, label), tuple(others), help))

    def describe(self, value: Type) -> str:
        """A type in words."""
        return describe(value, self.order)

    def scale(self, scale: Scale) -> str:
        """A scale in words."""
        return scale_text(scale, self.order)

    def shows(self, node: Node, value: Type) -> Label:
        """A label that says what type the checker found for an expression."""
        return Label(node.span, f"this is {self.describe(value)}")


def text_of(node: Node) -> str:
    """An expression as written, on one line."""
    return " ".join(node.span.text.split())


def merge(choices: Sequence[tuple[str | None, Sequence[Diagnostic]]], variable: str | None) -> list[Diagnostic]:
    """The findings for every operator of a `for`, each once; one that is not about all names those it is about."""
    found: dict[tuple[str, Span], tuple[Diagnostic, list[str]]] = {}
    for operator, diagnostics in choices:
        for diagnostic in diagnostics:
            key = (diagnostic.code, diagnostic.primary.span)
            found.setdefault(key, (diagnostic, []))[1].append(operator or "")
    merged = []
    for diagnostic, operators in found.values():
        if variable is not None and len(operators) < len(choices):
            message = f"{diagnostic.message} (where {variable} is {', '.join(operators)})"
            diagnostic = replace(diagnostic, message=message)
        merged.append(diagnostic)
    return merged
