"""qdsl check: what is wrong with rule files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli.console import show_json, use_color
from qdsl.cli.guard import FINDINGS, UNUSABLE

if TYPE_CHECKING:
    from qdsl.lang.diagnostics import Diagnostic


class CheckFormat(str, Enum):
    """How findings are printed."""

    pretty = "pretty"
    concise = "concise"
    json = "json"
    sarif = "sarif"
    github = "github"


def check(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Rule files or folders; the stock rules if left out.")
    ] = None,
    format: Annotated[CheckFormat, typer.Option(help="How to print.")] = CheckFormat.pretty,
) -> None:
    """Check rule files. Exit code 1 if there is an error or a warning; notes alone are fine."""
    from qdsl.ruleset import read_rules

    rules = read_rules(*paths or ())
    checked = rules.check()
    findings = [*(d for d in rules.own.diagnostics if d not in checked), *checked]
    _print(findings, format, len(rules.own.sources))
    # A file named here that cannot be read has no text; for one that a `use` names, the place is that of the `use`.
    if any(finding.primary.span.path not in rules.own.sources for finding in findings):
        raise typer.Exit(UNUSABLE)
    if any(finding.severity != "note" for finding in findings):
        raise typer.Exit(FINDINGS)


def _print(diagnostics: Sequence[Diagnostic], format: CheckFormat, files: int) -> None:
    import sys

    if format is CheckFormat.sarif:
        from qdsl.cli.sarif import sarif

        show_json(sarif(diagnostics))
    elif format is CheckFormat.github:
        from qdsl.cli.sarif import github

        for diagnostic in diagnostics:
            print(github(diagnostic))
    else:
        from qdsl.lang.render import render

        text = render(diagnostics, format.value, use_color(sys.stdout)).rstrip("\n")
        if text:
            print(text)
        if format is CheckFormat.pretty:
            print(("\n" if diagnostics else "") + _tally(diagnostics, files))


def _tally(diagnostics: Sequence[Diagnostic], files: int) -> str:
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    found = [f"{n} {kind}{'s' * (n > 1)}" for kind in ("error", "warning", "note") if (n := counts[kind])]
    return f"{', '.join(found) or 'no findings'} in {files} file{'s' * (files != 1)}"
