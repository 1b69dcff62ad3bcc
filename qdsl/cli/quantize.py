"""qdsl quantize: an ONNX model and samples in, a folder with the integer model and its report out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, columns, say, show, show_json
from qdsl.cli.guard import FINDINGS
from qdsl.cli.progress import Progress, progress_bar
from qdsl.cli.whole import refuse_foreign, whole_folder

if TYPE_CHECKING:
    from qdsl.report import Report
    from qdsl.session.profile import RuleProfile
    from qdsl.session.result import Result


class Stage(str, Enum):
    """Where to stop."""

    fold = "fold"
    annotate = "annotate"
    calibrate = "calibrate"
    realize = "realize"


RANDOM = (
    "the samples were random numbers, so ranges and errors mean nothing: good for trying speed, and for nothing else"
)


def quantize(
    model: options.Model,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUTDIR", help="Folder to write; replaced whole.")],
    calib: Annotated[
        str | None, typer.Option(metavar="DATA.npz", help="Samples, an array for each input; or `random` to try speed.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="What an earlier run found in its samples, instead of them.")
    ] = None,
    rules: options.Rules = None,
    config: options.ConfigFile = None,
    settings: options.Settings = None,
    shape: options.Shapes = None,
    skip: options.Skip = None,
    only: options.Only = None,
    without: options.Without = None,
    fuel: options.Fuel = None,
    stage: Annotated[Stage, typer.Option(help="Stop after this stage.")] = Stage.realize,
    target: Annotated[str | None, typer.Option(help="What to compile for; this machine if left out.")] = None,
    threads: options.Threads = None,
    min_sqnr: Annotated[
        float | None, typer.Option("--min-sqnr", metavar="DB", help="Exit code 1 if an output is below.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if an operator falls back to float.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Also show what each rule takes and costs.")] = False,
    quiet: options.Quiet = False,
    format: Annotated[Format, typer.Option(help="How to print the report.")] = Format.pretty,
) -> None:
    """Quantize a model. Writes model.so, the Relax module, the report and the calibration."""
    from qdsl.cli.samples import samples_for
    from qdsl.lower.target import resolve_target
    from qdsl.ruleset import load_rules
    from qdsl.session.quantize import quantize as quantize_model

    refuse_foreign(output)
    chosen = options.options_from(config, settings, skip, only, without)
    shapes = options.shapes_from(shape)
    resolve_target(target)  # refused now rather than after the calibration
    ruleset = load_rules(*rules) if rules else None
    needs_data = stage in (Stage.calibrate, Stage.realize)
    samples = samples_for(calib, calibration, model, shapes) if needs_data else None
    with progress_bar(quiet) as progress, whole_folder(output) as folder:
        result = quantize_model(
            model, samples, chosen, ruleset, shapes, stage=stage.value, fuel=fuel, profile=profile, progress=progress
        )
        if calib == "random" and needs_data:
            result.report = replace(result.report, warnings=(RANDOM, *result.report.warnings))
        _write(result, folder, needs_data, target, threads, progress)
    _print(result, output, format)
    if not _good_enough(result.report, strict, min_sqnr):
        raise typer.Exit(FINDINGS)


def _write(
    result: Result, folder: Path, whole: bool, target: str | None, threads: int | None, progress: Progress
) -> None:
    """The output folder; model.so and calibration.npz only where the module has its numbers."""
    from tvm import ir

    progress("write", 0, None)
    (folder / "module.json").write_text(str(ir.save_json(result.module)), encoding="utf-8")
    (folder / "module.py").write_text(result.module.script(), encoding="utf-8")
    if whole:
        result.build(target, threads).export(folder / "model.so")
        result.calibration.save(folder / "calibration.npz")
    result.report.to_html(folder / "report.html")
    result.report.to_json(folder / "report.json")


def _print(result: Result, output: Path, format: Format) -> None:
    report = result.report
    if format is Format.json:
        if result.profile:
            show_json({**json.loads(report.to_json()), "profile": [rule.as_dict() for rule in result.profile]})
        else:
            print(report.to_json(), end="")
        return
    show(report.table)
    if result.profile:
        print(f"\n{_profile_text(result.profile)}")
    print(f"\n{report.summary()}\n\nwritten to {output}")


def _profile_text(profiles: Sequence[RuleProfile]) -> str:
    """A line for each rule that matched anything, the costliest in accuracy first."""
    shown = sorted((p for p in profiles if p.matches), key=lambda p: (p.sqnr_db is None, p.sqnr_db or 0.0, -p.fired))
    head = ("rule", "matches", "tries", "fired", "ms", "dB alone")
    body = [
        (
            p.rule,
            str(p.matches),
            str(p.tries),
            str(p.fired),
            f"{p.time_ms:.1f}",
            "" if p.sqnr_db is None else f"{p.sqnr_db:.1f}",
        )
        for p in shown
    ]
    return columns([head, *body])


def _good_enough(report: Report, strict: bool, min_sqnr: float | None) -> bool:
    """Whether what was asked for holds; what does not is told on stderr."""
    good = True
    if strict and (left := [row for row in report.rows if row.outcome == "float"]):
        names = ", ".join(row.name for row in left[:5]) + (", ..." if len(left) > 5 else "")
        say(f"qdsl: --strict: {len(left)} of {len(report.rows)} operators are in float: {names}")
        good = False
    if min_sqnr is not None:
        for out in report.outputs:
            if not out.is_exact and (out.sqnr_db is None or out.sqnr_db < min_sqnr):
                reached = "no number" if out.sqnr_db is None else f"{out.sqnr_db:.2f} dB"
                say(f"qdsl: --min-sqnr {min_sqnr:g}: output {out.name} reaches {reached}")
                good = False
    return good
