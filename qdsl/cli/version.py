"""qdsl version: the versions that a result depends on."""

from __future__ import annotations

from typing import Annotated

import typer

from qdsl.cli.console import Format, columns, show_json
from qdsl.environment import versions


def version(format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty) -> None:
    """Print versions. Of qdsl and of what it stands on."""
    if format is Format.json:
        show_json(versions())
    else:
        print(columns(versions().items()))
