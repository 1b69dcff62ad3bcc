"""qdsl plan: what would be quantized, what not and why; no data needed."""

from __future__ import annotations

from typing import Annotated

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, show
from qdsl.cli.progress import progress_bar


def plan(
    model: options.Model,
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
    """Look ahead. What would be quantized by which rule, and what not and why; no data needed."""
    from qdsl.ruleset import load_rules
    from qdsl.session.quantize import quantize

    chosen = options.options_from(config, settings, skip, only, without)
    shapes = options.shapes_from(shape)
    ruleset = load_rules(*rules) if rules else None
    with progress_bar(quiet) as progress:
        report = quantize(model, None, chosen, ruleset, shapes, stage="annotate", progress=progress).report
    if format is Format.json:
        print(report.to_json(), end="")
    else:
        show(report.table)
        print(f"\n{report.summary()}")
