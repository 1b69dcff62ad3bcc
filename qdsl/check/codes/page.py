"""The page of a code, read from the Markdown file beside this module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from qdsl.errors import RuleError

BLOCK = re.compile(r"<!-- not run: (?P<mark>[^\n]*) -->\n```(?P<language>\w+)\n(?P<text>.*?)```\n", re.DOTALL)
"""A piece of rule text or of output, with the comment above it that says where it is from.

`not run` is for the test that runs every block of docs/; these blocks have tests of their own.
"""
PAGE = re.compile(
    r"# (?P<code>Q\d{4}): (?P<title>[^\n]+)\n\n(?P<why>.+?)\n\n## Example\n\n(?P<example>.+)"
    r"\n## How to mend it\n\n(?P<mend>.+)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Page:
    """One code in words and by example."""

    code: str
    title: str
    """What was found."""
    why: str
    """Why it is refused, or worth telling."""
    source: str
    """Where the example is from: a file of tests/bad, for those that the checker reports."""
    example: str
    """Rule text in which it is found."""
    message: str
    """What is said of the example."""
    mend: str
    """What to write instead."""
    mended: str | None
    """The example without the finding, where rule text can show it."""
    markdown: str
    """The whole page."""

    def text(self) -> str:
        """The page for a terminal: rule text and messages indented, without the signs of Markdown."""
        return "\n".join(_plain(self.markdown))


@lru_cache(maxsize=1)
def codes() -> tuple[str, ...]:
    """All codes, in order."""
    names = (entry.name for entry in resources.files("qdsl.check.codes").iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in names if re.fullmatch(r"Q\d{4}\.md", name)))


def page(code: str) -> Page:
    """The page of a code. Raises RuleError where there is no such code."""
    if code not in codes():
        raise RuleError(f"there is no code {code}; they run from {codes()[0]} to {codes()[-1]}")
    return read_page(resources.files("qdsl.check.codes").joinpath(f"{code}.md").read_text(encoding="utf-8"))


def read_page(markdown: str) -> Page:
    """A page from its text, which must have the parts of Page in their order."""
    parts = PAGE.fullmatch(markdown)
    if parts is None:
        raise ValueError("the page has other parts than title, why, example and how to mend it")
    example, message = BLOCK.finditer(parts["example"])
    mended = BLOCK.search(parts["mend"])
    return Page(
        code=parts["code"],
        title=parts["title"],
        why=_joined(parts["why"]),
        source=example["mark"],
        example=example["text"],
        message=message["text"],
        mend=_joined(parts["mend"][: mended.start()] if mended else parts["mend"]),
        mended=mended["text"] if mended else None,
        markdown=markdown,
    )


def _joined(text: str) -> str:
    """Prose without the line breaks of its file."""
    return " ".join(text.split())


def _plain(markdown: str) -> Iterator[str]:
    inside = False
    for line in markdown.rstrip("\n").split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif inside:
            yield f"    {line}".rstrip()
        elif not line.startswith("<!--"):
            yield line.lstrip("# ") if line.startswith("#") else line
