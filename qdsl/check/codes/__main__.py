"""Writes what is generated about codes: `python -m qdsl.check.codes`, from a checkout.

Examples and messages of the pages come from tests/bad, docs/codes/ is a copy of the pages, docs/codes.md an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from qdsl.check.codes.page import BLOCK, Page, codes, page

ROOT = Path(__file__).parents[3]

FAMILIES = {
    "Q00": "Reading files",
    "Q01": "Operators",
    "Q02": "Names",
    "Q03": "Formats, scales and zero points",
    "Q04": "Whole rules, and rules among each other",
}


def with_examples(markdown: str, bad: Path) -> str:
    """A page with the examples and messages as they stand in tests/bad."""

    def current(block: re.Match[str]) -> str:
        file = bad / Path(block["mark"]).name
        if not block["mark"].startswith("tests/bad/"):
            return block[0]
        text = file.read_text(encoding="utf-8").rstrip("\n")
        return f"<!-- not run: {block['mark']} -->\n```{block['language']}\n{text}\n```\n"

    return BLOCK.sub(current, markdown)


def index(pages: list[Page]) -> Iterator[str]:
    """docs/codes.md, line by line."""
    yield "# Codes"
    yield ""
    yield "What `qdsl check` and `qdsl test` find. Each code has a page with an example, what is said of it, and how to"
    yield "mend it; `qdsl explain CODE` prints it. `make docs` writes these pages; more examples are in tests/bad."
    family = ""
    for one in pages:
        if one.code[:3] != family:
            family = one.code[:3]
            yield from ("", f"## {FAMILIES[family]}", "", "| code | finding |", "|---|---|")
        yield f"| [{one.code}](codes/{one.code}.md) | {one.title} |"


def main() -> None:
    """Write the pages of the package and of docs/."""
    for code in codes():
        file = Path(__file__).with_name(f"{code}.md")
        file.write_text(with_examples(file.read_text(encoding="utf-8"), ROOT / "tests" / "bad"), encoding="utf-8")
    docs = ROOT / "docs" / "codes"
    docs.mkdir(exist_ok=True)
    for old in docs.glob("Q*.md"):
        old.unlink()
    pages = [page(code) for code in codes()]
    for one in pages:
        (docs / f"{one.code}.md").write_text(one.markdown, encoding="utf-8")
    (docs.parent / "codes.md").write_text("\n".join(index(pages)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
