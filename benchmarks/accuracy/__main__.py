"""python -m benchmarks.accuracy [MODEL]...: measure and print; of all models, write docs/accuracy.md too."""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections.abc import Iterator

import onnx

from benchmarks import zoo
from benchmarks.accuracy import page
from benchmarks.accuracy.measure import Kept, Outputs, Row, key, load, measure, reference_outputs
from benchmarks.accuracy.models import MODELS, Model, Samples
from benchmarks.accuracy.tools import TOOLS, Quantizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help=f"some of {', '.join(m.name for m in MODELS)}")
    parser.add_argument("--tool", action="append", choices=list(TOOLS), help="only this one; may be given again")
    parser.add_argument("--page", action="store_true", help="write the page from the last numbers, measure nothing")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)  # the peers' own
    warnings.filterwarnings("ignore")
    kept = Kept()
    if not chosen.page:
        for model in MODELS:
            if not chosen.models or model.name in chosen.models:
                run(model, chosen.tool or list(TOOLS), kept)
    if chosen.page or not (chosen.models or chosen.tool):
        page.write(kept)


def run(model: Model, tools: list[str], kept: Kept) -> None:
    """Measure one model with some tools, printing a line for each."""
    try:
        graph, samples = load(model)
    except zoo.Unavailable as reason:
        print(f"{model.name}: skipped, {reason}")
        return
    reference = reference_outputs(graph, samples)
    for tool in tools:
        for setting, quantizer in TOOLS[tool]:
            start = time.perf_counter()
            rows = rows_of(model, graph, samples, tool, setting, quantizer, reference, kept)
            shown = rows if isinstance(rows, str) else "  ".join(line(rows))
            took = time.perf_counter() - start
            print(f"{model.name:14} {tool:13} {setting:22} {shown}  {took:.0f} s", flush=True)


def rows_of(
    model: Model,
    graph: onnx.ModelProto,
    samples: Samples,
    tool: str,
    setting: str,
    quantizer: Quantizer,
    reference: Outputs,
    kept: Kept,
) -> list[Row] | str:
    """Measured, or for a peer as they were measured before; in words where the tool failed."""
    name = key(graph, samples, f"{tool} {setting}")
    rows = kept.get(name) if tool != "qdsl" else None
    if rows is None:
        try:
            rows = measure(model, graph, samples, quantizer, reference)
        except Exception as error:  # whatever a tool fails with is its result
            rows = f"failed: {type(error).__name__}: {error}"[:300]
    kept.put(rows, name, page.place(model.name, tool, setting))
    return rows


def line(rows: list[Row]) -> Iterator[str]:
    """Median and extremes of every output, and of the agreement."""
    for values in zip(*(r.sqnr_db for r in rows), strict=True):
        yield page.spread(values)
    shares = [r.agreement for r in rows if r.agreement is not None]
    if shares:
        yield f"{100 * min(shares):.1f} % as float"


if __name__ == "__main__":
    main()
