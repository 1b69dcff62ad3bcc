"""Options that several commands share, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qdsl.errors import ConfigError

if TYPE_CHECKING:
    from qdsl.config import QConfig

Model = Annotated[Path, typer.Argument(help="An .onnx file.", metavar="MODEL.onnx")]
Rules = Annotated[
    list[Path] | None, typer.Option(help="Rule files or folders that go before the stock rules; repeatable.")
]
Shapes = Annotated[
    list[str] | None, typer.Option("--shape", metavar="NAME=1,3,224,224", help="Fix an input's shape; repeatable.")
]
ConfigFile = Annotated[Path | None, typer.Option("--config", metavar="FILE.toml", help="Options; see qdsl config.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="One option, over the file's; repeatable.")
]
Skip = Annotated[
    list[str] | None, typer.Option(metavar="PATTERN", help="Leave operators of this name or kind in float; repeatable.")
]
Only = Annotated[list[str] | None, typer.Option(metavar="RULE", help="Let only this rule fire; repeatable.")]
Without = Annotated[list[str] | None, typer.Option(metavar="RULE", help="Leave this rule out; repeatable.")]
Fuel = Annotated[int | None, typer.Option(min=0, help="At most so many applications of rules; for bisection.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads that kernels run on; all cores if left out.")]


def options_from(
    file: Path | None,
    settings: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] | None = None,
) -> QConfig:
    """The configuration that a command line asks for: the file, then --set, then the options of their own name."""
    from qdsl.config import QConfig, from_toml, with_settings

    config = from_toml(file) if file else QConfig()
    config = with_settings(settings or (), config)
    named: dict[str, Any] = {"skip": skip, "only": only, "without": without}
    # What stands in the file and what the command line adds are both meant.
    added = {name: (*getattr(config, name), *values) for name, values in named.items() if values}
    return config.replace(**added) if added else config


def shapes_from(settings: Sequence[str] | None) -> dict[str, tuple[int, ...]]:
    """NAME=1,3,224,224 settings as shapes by input name; ConfigError for what is not of that form."""
    shapes: dict[str, tuple[int, ...]] = {}
    for setting in settings or ():
        name, _, sizes = setting.rpartition("=")
        try:
            shape = tuple(int(size) for size in sizes.replace("x", ",").split(","))
        except ValueError:
            shape = ()
        if not name or not shape or min(shape) < 1:
            raise ConfigError(f"--shape {setting}: expected NAME=SIZES, such as input=1,3,224,224")
        if name in shapes:
            raise ConfigError(f"--shape {setting}: {name} has a shape already; keep one of them")
        shapes[name] = shape
    return shapes
