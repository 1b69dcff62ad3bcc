"""qdsl bisect: the application of a rule at which a metric falls below a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, show_json
from qdsl.cli.guard import FINDINGS
from qdsl.cli.progress import progress_bar


def bisect(
    model: options.Model,
    calib: Annotated[
        str | None, typer.Option(metavar="DATA.npz", help="Samples, an array for each input; or `random`.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="What an earlier run found in its samples, instead of them.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DATA.npz", help="Samples to measure on; those of --calib if left out.")
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            metavar="sqnr|CMD",
            help="What is to stay high: dB of the worst output, or the last number that CMD OUTPUTS.npz prints.",
        ),
    ] = "sqnr",
    minimum: Annotated[float, typer.Option("--min", metavar="VALUE", help="The bound.")] = ...,  # type: ignore[assignment]
    scan: Annotated[
        bool | None,
        typer.Option("--scan/--halves", help="Try every number, or halves; every one up to 64 if left out."),
    ] = None,
    rules: options.Rules = None,
    config: options.ConfigFile = None,
    settings: options.Settings = None,
    shape: options.Shapes = None,
    skip: options.Skip = None,
    only: options.Only = None,
    without: options.Without = None,
    quiet: options.Quiet = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Find the smallest number of rule applications that spoils a metric. Exit code 1 if there is one."""
    from qdsl.bisect import bisect as find
    from qdsl.cli.samples import samples_for
    from qdsl.ruleset import load_rules

    chosen = options.options_from(config, settings, skip, only, without)
    shapes = options.shapes_from(shape)
    ruleset = load_rules(*rules) if rules else None
    samples = samples_for(calib, calibration, model, shapes)
    with progress_bar(quiet) as progress:
        found = find(
            model, samples, minimum, metric, data=data, config=chosen, rules=ruleset, shapes=shapes, scan=scan,
            told=progress,
        )  # fmt: skip
    if format is Format.json:
        show_json(found.as_dict())
    else:
        print(found.text())
    if found.fell:
        raise typer.Exit(FINDINGS)
