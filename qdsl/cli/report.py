"""qdsl report: show the report of an output folder, or what differs between two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qdsl.cli.console import Format, show, show_json


def report(
    outdir: Annotated[Path, typer.Argument(help="A folder that qdsl quantize wrote, or a report.json.")],
    other: Annotated[Path | None, typer.Argument(help="Another one, to compare with.")] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Show or compare reports. Operator by operator; with two folders, what differs."""
    from qdsl.report import Report, compare

    first = Report.from_json(_file(outdir))
    if other is not None:
        comparison = compare(first, Report.from_json(_file(other)), (str(outdir), str(other)))
        if format is Format.json:
            show_json(comparison.to_dict())
        else:
            print(comparison.text())
    elif format is Format.json:
        print(first.to_json(), end="")
    else:
        show(first.table)
        print(f"\n{first.summary()}")


def _file(path: Path) -> Path:
    return path / "report.json" if path.is_dir() else path
