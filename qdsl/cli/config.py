"""qdsl config: every option with its default, valid values and meaning."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli.console import show, show_json

if TYPE_CHECKING:
    from qdsl.config.describe import OptionRow


class ConfigFormat(str, Enum):
    """How the options are printed."""

    pretty = "pretty"
    json = "json"
    markdown = "markdown"


def config(
    key: Annotated[str | None, typer.Argument(help="One option; all of them if left out.")] = None,
    format: Annotated[ConfigFormat, typer.Option(help="How to print.")] = ConfigFormat.pretty,
) -> None:
    """Explain the options. Each with its default, valid values and meaning."""
    from qdsl.config import describe, describe_one
    from qdsl.config.describe import markdown

    rows = describe() if key is None else (describe_one(key),)
    if format is ConfigFormat.json:
        show_json([asdict(row) for row in rows])
    elif format is ConfigFormat.markdown:
        print(markdown(rows), end="")
    elif key is None:
        _table(rows)
    else:
        _one(rows[0])


def _one(row: OptionRow) -> None:
    print(f"{row.name} = {row.default}\n    {row.meaning}\n    takes: {row.valid}\n    in relay.quantize: {row.relay}")


def _table(rows: tuple[OptionRow, ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("option", "default", "takes", "meaning"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("option", "default"))
    for row in rows:
        table.add_row(row.name, row.default.replace("[", "\\["), row.valid, row.meaning)
    show(table)
