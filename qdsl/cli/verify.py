"""qdsl verify: is each rule right? Small graphs of its own pattern, beside the float operator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, say, show_json, use_color
from qdsl.cli.guard import FINDINGS
from qdsl.cli.progress import progress_bar

if TYPE_CHECKING:
    from qdsl.verify import VerifyReport
    from qdsl.verify.prove import Proof


def verify(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULE|PATH]...", help="Rules, rule files or folders; all stock rules if left out."),
    ] = None,
    graphs: Annotated[int, typer.Option(min=1, help="Graphs for each operator that a rule is for.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="Of the numbers that are drawn at random.")] = 0,
    prove: Annotated[
        bool, typer.Option("--prove", help="Also prove the integer arithmetic that rules are made of (needs z3).")
    ] = False,
    quiet: options.Quiet = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Try rules in small graphs, against the float operator. Exit code 1 if one is off."""
    from qdsl.ruleset import load_rules
    from qdsl.verify import verify as verify_rules

    names, paths = _names_and_paths(what or [])
    rules = load_rules(*paths)
    with progress_bar(quiet) as progress:
        report = verify_rules(rules, names, graphs=graphs, seed=seed, told=progress)
        proofs = _proofs() if prove else None
    if format is Format.json:
        show_json({**report.as_dict(), "proofs": None if proofs is None else [p.as_dict() for p in proofs]})
    else:
        _print(report, proofs)
    if not report.sound or any(not proof.holds for proof in proofs or ()):
        raise typer.Exit(FINDINGS)


def _names_and_paths(what: list[str]) -> tuple[list[str], list[Path]]:
    """Which arguments are rules and which are files: a path has a suffix or a separator, or is there."""
    paths = [w for w in what if w.endswith(".qrule") or "/" in w or Path(w).exists()]
    return [w for w in what if w not in paths], [Path(p) for p in paths]


def _proofs() -> list[Proof] | None:
    """The proofs; None, with a word on stderr, where z3 is not installed."""
    from qdsl.errors import ConfigError
    from qdsl.verify.prove import prove_all

    try:
        return prove_all()
    except ConfigError as missing:
        say(f"qdsl: nothing was proved: {missing}")
        return None


def _print(report: VerifyReport, proofs: list[Proof] | None) -> None:
    import sys

    from qdsl.lang.render import render
    from qdsl.verify.report import untried_because

    if report.typed:
        print(render(report.typed, "pretty", use_color(sys.stdout)) + "\n")
    for failure in report.failures:
        print(failure.text() + "\n")
    for verified in report.untried:
        name = f"{verified.item.name}{f' for {verified.op}' if verified.op else ''}"
        print(f"{verified.item.name_span}: {name}: not tried: {untried_because(verified)}")
    for proof in proofs or ():
        print(proof.line)
    print(report.summary())
