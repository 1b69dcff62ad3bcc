"""qdsl test: run the `test` items of rule files."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli import options
from qdsl.cli.console import show_json
from qdsl.cli.guard import FINDINGS
from qdsl.cli.progress import progress_bar

if TYPE_CHECKING:
    from qdsl.ruletest.run import TestCase


class TestFormat(str, Enum):
    """How results are printed."""

    pretty = "pretty"
    concise = "concise"
    json = "json"


def test(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Rule files or folders; the stock rules if left out.")
    ] = None,
    pattern: Annotated[
        str | None, typer.Option("-k", metavar="RE", help="Only tests whose rule or title matches this.")
    ] = None,
    quiet: options.Quiet = False,
    format: Annotated[TestFormat, typer.Option(help="How to print.")] = TestFormat.pretty,
) -> None:
    """Run the tests in rule files. Exit code 1 if one fails."""
    from qdsl.ruleset import checked, load_rules
    from qdsl.ruletest.run import run_test

    wanted = _compiled(pattern)
    rules = checked(load_rules(*paths or ()))
    chosen = [test for test in rules.own.tests if wanted.search(f"{test.rule} {test.title}")]
    cases = []
    with progress_bar(quiet) as progress:
        for number, item in enumerate(chosen):
            progress(item.rule, number, len(chosen))
            cases.append(run_test(rules, item))
    _print(cases, format)
    if not all(case.passed for case in cases):
        raise typer.Exit(FINDINGS)


def _compiled(pattern: str | None) -> re.Pattern[str]:
    try:
        return re.compile(pattern or "")
    except re.error as error:
        raise typer.BadParameter(f"-k {pattern}: not a regular expression: {error}") from None


def _print(cases: list[TestCase], format: TestFormat) -> None:
    if format is TestFormat.json:
        show_json([_as_dict(case) for case in cases])
        return
    failed = [case for case in cases if not case.passed]
    for case in failed:
        print(f'{case.span}: FAIL {case.rule} "{case.title}"' + (f": {case.message}" if case.message else ""))
    if format is TestFormat.pretty:
        print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")


def _as_dict(case: TestCase) -> dict[str, object]:
    place = {"file": case.span.path, "line": case.span.line, "column": case.span.column}
    return {"rule": case.rule, "title": case.title, "passed": case.passed, "message": case.message, **place}
