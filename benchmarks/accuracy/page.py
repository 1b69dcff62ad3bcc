"""docs/accuracy.md: what was measured, as text and tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.accuracy.measure import Kept, Row
from benchmarks.accuracy.models import MODELS, Model
from benchmarks.accuracy.tools import TOOLS

TEMPLATE = Path(__file__).parent / "page.md"
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


def place(model: str, tool: str, setting: str) -> str:
    """The key of the last numbers of a model, tool and setting."""
    return f"last {model} {tool} {setting}"


def spread(values: Sequence[float]) -> str:
    """The median, and the least and greatest."""
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def best(model: Model, tool: str, kept: Kept) -> tuple[str, list[Row]] | None:
    """The setting whose median over the subsets, averaged over the outputs, is the highest."""
    found = [(s, kept.get(place(model.name, tool, s))) for s, _ in TOOLS[tool]]
    measured = [(s, r) for s, r in found if isinstance(r, list)]
    return max(measured, key=lambda pair: statistics.mean(medians(pair[1])), default=None)


def medians(rows: Sequence[Row]) -> list[float]:
    """Of every output."""
    return [statistics.median(v) for v in zip(*(r.sqnr_db for r in rows), strict=True)]


def write(kept: Kept) -> None:
    """Fills the template with the last numbers."""
    text = TEMPLATE.read_text()
    for name, lines in (("sqnr", decibels(kept)), ("agreement", agreements(kept)), ("verdict", verdict(kept))):
        text = text.replace(f"{{{{ {name} }}}}", "\n".join(lines))
    versions = ", ".join(f"{p} {version(p)}" for p in ("onnxruntime", "openvino", "nncf", "apache-tvm"))
    PAGE.write_text(text.replace("{{ versions }}", versions))
    print(f"wrote {PAGE}")


def decibels(kept: Kept) -> Iterator[str]:
    """A row for every output of every model."""
    yield f"| model, output | {' | '.join(TOOLS)} |"
    yield "|---" * (1 + len(TOOLS)) + "|"
    for model in MODELS:
        found = {tool: best(model, tool, kept) for tool in TOOLS}
        outputs = max((len(pair[1][0].sqnr_db) for pair in found.values() if pair), default=0)
        for index in range(outputs):
            cells = [model.title if outputs == 1 else f"{model.title}, {index + 1}"]
            values = {t: [r.sqnr_db[index] for r in pair[1]] for t, pair in found.items() if pair}
            highest = max(statistics.median(v) for v in values.values())
            for tool, pair in found.items():
                if pair is None:
                    cells.append(failure(model, tool, kept))
                    continue
                shown = spread(values[tool])
                shown = f"**{shown}**" if statistics.median(values[tool]) == highest else shown
                cells.append(shown if tool == "qdsl" else f"{shown}, {pair[0]}")
            yield f"| {' | '.join(cells)} |"


def failure(model: Model, tool: str, kept: Kept) -> str:
    """Why a tool has no numbers."""
    said = [kept.get(place(model.name, tool, s)) for s, _ in TOOLS[tool]]
    return "fails" if any(isinstance(s, str) for s in said) else "not measured"


def agreements(kept: Kept) -> Iterator[str]:
    """The least agreement over the subsets, in percent."""
    yield f"| model | answer | {' | '.join(TOOLS)} |"
    yield "|---" * (2 + len(TOOLS)) + "|"
    for model in MODELS:
        if not model.answer:
            continue
        cells = [model.title, "largest" if model.answer == "largest" else "above one half"]
        for tool in TOOLS:
            pair = best(model, tool, kept)
            shares = [r.agreement for r in pair[1] if r.agreement is not None] if pair else []
            cells.append(f"{100 * min(shares):.1f}" if shares else failure(model, tool, kept))
        yield f"| {' | '.join(cells)} |"


def verdict(kept: Kept) -> Iterator[str]:
    """On how many outputs qdsl is ahead of each peer, and where it is behind by more than the spread."""
    for tool in TOOLS:
        if tool == "qdsl":
            continue
        ahead, total, behind = 0, 0, []
        for model in MODELS:
            ours, theirs = best(model, "qdsl", kept), best(model, tool, kept)
            if ours is None or theirs is None:
                continue
            for index, (own, other) in enumerate(zip(medians(ours[1]), medians(theirs[1]), strict=True)):
                values = [r.sqnr_db[index] for r in ours[1]]
                total, ahead = total + 1, ahead + (own > other)
                if other - own > max(values) - min(values):
                    behind.append(f"{model.title} output {index + 1} ({other - own:.1f} dB)")
        where = (
            f"behind by more than the spread on {', '.join(behind)}"
            if behind
            else "behind by more than the spread on none"
        )
        yield f"- {tool}: qdsl is ahead on {ahead} of {total} outputs, {where}."
