"""python -m benchmarks.accuracy [MODEL]...: measure and print; of all models, write docs/accuracy.md too."""

from __future__ import annotations

import argparse
import logging
import statistics
import time
import warnings

from benchmarks import zoo
from benchmarks.accuracy.measure import Decibels, Kept, key, load, measure, reference_outputs
from benchmarks.accuracy.models import MODELS
from benchmarks.accuracy.tools import TOOLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help=f"some of {', '.join(m.name for m in MODELS)}")
    parser.add_argument("--tool", action="append", help=f"some of {', '.join(TOOLS)}")
    chosen = parser.parse_args()
    quiet()
    kept = Kept()
    for model in MODELS:
        if chosen.models and model.name not in chosen.models:
            continue
        try:
            graph, samples = load(model)
        except zoo.Unavailable as reason:
            print(f"{model.name}: skipped, {reason}")
            continue
        reference = reference_outputs(graph, samples)
        for tool, settings in TOOLS.items():
            if chosen.tool and tool not in chosen.tool:
                continue
            for setting, quantizer in settings:
                name, start = key(graph, samples, f"{tool} {setting}"), time.perf_counter()
                rows = None if tool == "qdsl" else kept.get(name)
                if rows is None:
                    try:
                        rows = measure(graph, samples, quantizer, model.transformer, reference)
                    except Exception as error:
                        print(
                            f"{model.name:14} {tool:13} {setting:12} failed: {type(error).__name__}: {str(error)[:300]}"
                        )
                        continue
                    if tool != "qdsl":
                        kept.put(name, rows)
                print(
                    f"{model.name:14} {tool:13} {setting:12} {line(rows)}  {time.perf_counter() - start:.0f} s",
                    flush=True,
                )


def line(rows: list[Decibels]) -> str:
    """Median and extremes of every output."""
    shown = []
    for name in rows[0]:
        values = [r[name] for r in rows]
        shown.append(f"{statistics.median(values):5.1f} ({min(values):.1f}..{max(values):.1f})")
    return "  ".join(shown)


def quiet() -> None:
    """The peers' own progress and warnings."""
    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore")


if __name__ == "__main__":
    main()
