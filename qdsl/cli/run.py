"""qdsl run: run a quantized model on samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, columns, show_json
from qdsl.cli.progress import Progress, progress_bar
from qdsl.cli.whole import whole_file
from qdsl.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qdsl.lower.executable import Executable


def run(
    outdir: Annotated[Path, typer.Argument(metavar="OUTDIR", help="A folder that qdsl quantize wrote.")],
    input: Annotated[Path, typer.Option(metavar="DATA.npz", help="An array for each input, samples first.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="OUT.npz", help="Where outputs go.")] = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Run a quantized model. Saves its outputs, or prints what they look like."""
    import numpy as np

    from qdsl.lower.compile import load_executable

    executable = load_executable(_library(outdir), threads=threads)
    with progress_bar(quiet) as progress:
        outputs = _run_all(executable, input, progress)
    if output is not None:
        with whole_file(output) as path:
            np.savez(path, **outputs)  # type: ignore[arg-type]
    _print(outputs, output, format)


def _library(outdir: Path) -> Path:
    library = outdir / "model.so" if outdir.is_dir() else outdir
    if not library.is_file():
        raise DataError(f"{outdir}: there is no model.so in it; name a folder that `qdsl quantize` wrote to the end")
    return library


def _run_all(executable: Executable, data: Path, progress: Progress) -> dict[str, NDArray[np.generic]]:
    """Every whole batch of the data; outputs are joined along their first axis."""
    import numpy as np

    from qdsl.calibrate import SampleSource

    source = SampleSource(data, executable.inputs)
    found: dict[str, list[NDArray[np.generic]]] = {spec.name: [] for spec in executable.outputs}
    for number, batch in enumerate(source):
        progress("run", number, None)
        for name, array in executable.run(batch).items():
            found[name].append(array)
    if source.dropped:
        raise DataError(f"{data}: the last {source.dropped} samples fill no batch of the model; add some or drop them")
    return {name: np.concatenate(arrays) if arrays[0].ndim else np.stack(arrays) for name, arrays in found.items()}


def _print(outputs: dict[str, NDArray[np.generic]], written: Path | None, format: Format) -> None:
    rows = [_description(name, array) for name, array in outputs.items()]
    if format is Format.json:
        show_json({"outputs": rows, "written": None if written is None else str(written)})
        return
    print(columns((r["name"], str(r["shape"]), r["dtype"], f"{r['min']:.6g} .. {r['max']:.6g}") for r in rows))
    if written is not None:
        print(f"written to {written}")


def _description(name: str, array: NDArray[Any]) -> dict[str, Any]:
    low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 0.0)
    return {"name": name, "shape": list(array.shape), "dtype": str(array.dtype), "min": low, "max": high}
