"""Code lenses: run a test, run all tests of a rule; and how the last run went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lsp.document import Document


@dataclass(frozen=True)
class Lens:
    """A line above an item; a click runs the tests of `rule`, or the one of them that has the title."""

    span: Span
    text: str
    rule: str
    title: str | None


@dataclass(frozen=True)
class Verdict:
    """How a test went, on which text of it."""

    passed: bool
    message: str
    text: str
    """The test as it was then; of another one the verdict says nothing."""


Verdicts = Mapping[tuple[str, str], Verdict]
"""By rule and title."""


def lenses(document: Document, verdicts: Verdicts) -> Iterator[Lens]:
    """The lenses of a document."""
    for item in document.items:
        if isinstance(item, tree.Test):
            verdict = verdicts.get((item.rule, item.title))
            known = verdict is not None and verdict.text == item.span.text
            said = "" if not known or verdict is None else (" (passed)" if verdict.passed else " (failed)")
            yield Lens(item.span, f"Run test{said}", item.rule, item.title)
        elif isinstance(item, tree.Rule | tree.Fold):
            count = sum(test.rule == item.name for test in document.rules.own.tests)
            if count:
                text = "Run its test" if count == 1 else f"Run its {count} tests"
                yield Lens(item.span, text, item.name, None)
