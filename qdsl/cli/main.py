"""The qdsl command: its subcommands, and what every one of them has in common."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Annotated

import typer

from qdsl.cli import (
    bisect,
    check,
    config,
    doc,
    doctor,
    explain,
    fmt,
    lsp,
    new,
    ops,
    plan,
    quantize,
    report,
    run,
    version,
)
from qdsl.cli import test as tests
from qdsl.cli import verify as verifies
from qdsl.cli.guard import guarded, set_debug

app = typer.Typer(
    name="qdsl",
    help="Post-training quantization for TVM Relax, by rules that you can read.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

COMMANDS = (
    ("quantize", quantize.quantize),
    ("run", run.run),
    ("plan", plan.plan),
    ("explain", explain.explain),
    ("bisect", bisect.bisect),
    ("report", report.report),
    ("check", check.check),
    ("test", tests.test),
    ("verify", verifies.verify),
    ("fmt", fmt.fmt),
    ("doc", doc.doc),
    ("new", new.new),
    ("config", config.config),
    ("ops", ops.ops),
    ("lsp", lsp.lsp),
    ("doctor", doctor.doctor),
    ("version", version.version),
)
"""In the order of `qdsl --help`: from the model to the rules to the environment."""

for name, command in COMMANDS:
    app.command(name)(guarded(command))


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Post-training quantization for TVM Relax, by rules that you can read."""
    set_debug(debug)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command line and leave with its exit code: 0 fine, 1 findings, 2 wrong usage or unreadable input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--debug" in given:  # wherever it stands, since one adds it to the end of the line that failed
        given = ["--debug", *(argument for argument in given if argument != "--debug")]
    if given == ["--version"]:
        given = ["version"]
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminate)
    app(args=given, prog_name="qdsl")


def _terminate(number: int, _frame: FrameType | None) -> None:
    """End by an exception, so that half-written output is cleared away as on Ctrl-C."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
