"""qdsl test: run the `test` items of rule files; say what they reach, and what they would let pass."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qdsl.cli import options
from qdsl.cli.console import show_json, use_color
from qdsl.cli.guard import FINDINGS
from qdsl.cli.progress import Progress, progress_bar

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet
    from qdsl.ruletest.coverage import Coverage, CoverageReport
    from qdsl.ruletest.mutate import MutationReport
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
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also list what no test reaches; exit code 1 if there is something.")
    ] = False,
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Also break the rules, one change at a time, and list what goes unnoticed.")
    ] = False,
    quiet: options.Quiet = False,
    format: Annotated[TestFormat, typer.Option(help="How to print.")] = TestFormat.pretty,
) -> None:
    """Run the tests in rule files. Exit code 1 if one fails."""
    from qdsl.ruleset import checked, load_rules
    from qdsl.ruletest.coverage import Coverage

    rules = checked(load_rules(*paths or ()))
    seen = Coverage() if coverage else None
    with progress_bar(quiet) as progress:
        cases = _run(rules, pattern, seen, progress)
        failed = any(not case.passed for case in cases)
        mutants = _mutated(rules, pattern, progress) if mutate and not failed else None
    reached = seen.of(rules, {case.rule for case in cases} if pattern else None) if seen is not None else None
    if format is TestFormat.json:
        show_json(_as_data(cases, reached, mutants))
    else:
        _print(cases, reached, mutants, format)
        if mutate and failed:
            print("no rule was broken on purpose: tests have to pass before they can notice anything")
    if failed or (reached is not None and not reached.complete) or (mutants is not None and mutants.unexplained):
        raise typer.Exit(FINDINGS)


def _run(rules: RuleSet, pattern: str | None, seen: Coverage | None, progress: Progress) -> list[TestCase]:
    from qdsl.ruletest.run import chosen_tests, run_test

    cases = []
    chosen = chosen_tests(rules, pattern)
    for number, item in enumerate(chosen):
        progress(item.rule, number, len(chosen))
        cases.append(run_test(rules, item, seen))
    return cases


def _mutated(rules: RuleSet, pattern: str | None, progress: Progress) -> MutationReport:
    from qdsl.ruletest.mutate import mutate

    return mutate(rules, pattern, lambda done, total: progress("mutants", done, total))


def _print(
    cases: list[TestCase], reached: CoverageReport | None, mutants: MutationReport | None, format: TestFormat
) -> None:
    pretty = format is TestFormat.pretty
    failed = [case for case in cases if not case.passed]
    for case in failed:
        print(f'{case.span}: FAIL {case.rule} "{case.title}"' + (f": {case.message}" if case.message else ""))
        if pretty and case.detail:
            print("\n".join(f"  {line}" for line in case.detail.splitlines()) + "\n")
    if pretty:
        print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    if reached is not None:
        _print_coverage(reached, format)
    if mutants is not None:
        for survivor in mutants.survivors:
            print(survivor.line)
        if pretty:
            print(mutants.summary())


def _print_coverage(reached: CoverageReport, format: TestFormat) -> None:
    import sys

    from qdsl.lang.render import render

    text = render(reached.findings(), format.value, use_color(sys.stdout))
    if text:
        print(f"\n{text}\n" if format is TestFormat.pretty else text)
    if format is TestFormat.pretty:
        print(reached.summary())


def _as_data(cases: list[TestCase], reached: CoverageReport | None, mutants: MutationReport | None) -> Any:
    """A list of tests; where more was asked for, an object with `tests` and `coverage` or `mutants`."""
    from qdsl.lang.render import as_dict

    tests = [_as_dict(case) for case in cases]
    if reached is None and mutants is None:
        return tests
    data: dict[str, Any] = {"tests": tests}
    if reached is not None:
        data["coverage"] = {**reached.as_dict(), "findings": [as_dict(finding) for finding in reached.findings()]}
    if mutants is not None:
        data["mutants"] = mutants.as_dict()
    return data


def _as_dict(case: TestCase) -> dict[str, object]:
    place = {"file": case.span.path, "line": case.span.line, "column": case.span.column}
    known = {"rule": case.rule, "title": case.title, "passed": case.passed, "message": case.message, **place}
    return {**known, "detail": case.detail} if case.detail else known
