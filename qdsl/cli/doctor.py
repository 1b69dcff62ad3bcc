"""qdsl doctor: what is wrong with this environment, and what mends it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from qdsl.cli.console import Format, columns, show_json
from qdsl.cli.guard import FINDINGS


def doctor(format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty) -> None:
    """Say what is wrong here. Exit code 1 if something is, with the command that mends it."""
    from qdsl.doctor import diagnose
    from qdsl.environment import look_around

    findings = diagnose(look_around())
    wrong = [finding for finding in findings if finding.status == "wrong"]
    if format is Format.json:
        show_json([asdict(finding) for finding in findings])
    else:
        print(columns((finding.status, finding.subject, finding.said) for finding in findings))
        for finding in findings:
            if finding.mend:
                print(f"\n{finding.subject}: {finding.said}\n    {finding.mend}")
        print("\nnothing is wrong" if not wrong else f"\n{len(wrong)} of {len(findings)} things looked at are wrong")
    if wrong:
        raise typer.Exit(FINDINGS)
