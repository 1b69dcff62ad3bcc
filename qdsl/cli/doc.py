"""qdsl doc: rule files as pages to read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli.console import Format, show_json
from qdsl.cli.whole import OutputError, whole_file

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet


def doc(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Rule files or folders; the stock rules if left out.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="A folder for the pages; stdout if left out.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Write a page for each rule: what it says, its marks, tests, and a graph of what it matches; and an index."""
    from qdsl.ruledoc import document, pages
    from qdsl.ruleset import load_rules

    rules = load_rules(*paths or ())
    if output is not None:
        written = pages(rules)
        write_pages(written, output)
        if format is Format.json:
            show_json([str(output / name) for name in written])
        else:
            print(f"{len(written)} pages written; begin with {output / next(iter(written))}")
    elif format is Format.json:
        show_json([asdict(one) for one in document(rules)])
    else:
        _print(rules)


def write_pages(pages: dict[str, str], folder: Path) -> None:
    """Write pages into a folder, and remove those that an earlier run left there. No other file is touched.

    Raises OutputError where a file of that name is none of ours.
    """
    from qdsl.ruledoc.markdown import WRITTEN_BY

    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; name a folder for the pages")
    present = {file for file in folder.glob("*.md") if _first_line(file) == WRITTEN_BY}
    for name in pages:
        if (folder / name).exists() and folder / name not in present:
            raise OutputError(f"{folder / name}: was not written by qdsl doc; name another folder, or move the file")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        with whole_file(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    for file in present - {folder / name for name in pages}:
        file.unlink()


def _first_line(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.readline(200).decode("utf-8", "replace").strip()


def _print(rules: RuleSet) -> None:
    """All pages, one below the other, without the index, whose links lead to files."""
    from qdsl.ruledoc.markdown import INDEX, WRITTEN_BY, pages

    texts = [text.removeprefix(WRITTEN_BY + "\n") for name, text in pages(rules).items() if name != INDEX]
    print("\n".join(texts), end="")
