"""The summary of a report: plain text that fits a screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from qdsl.report import words
from qdsl.report.rows import OUTCOMES

if TYPE_CHECKING:
    from qdsl.report.report import Report

MOST_LINES = 8
"""Of reasons, outputs and warnings each."""


def summary(report: Report) -> str:
    """What was done, what it costs in accuracy and time, and why operators stayed in float."""
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield headline(report)
    yield ""
    for outcome in OUTCOMES:
        kinds = Counter(row.op for row in report.rows if row.outcome == outcome)
        if kinds:
            yield _entry(outcome, f"{sum(kinds.values()):4}   {_kinds(kinds)}")
    counts = report.counts
    conversions = [f"{counts[f'{kind}_ops']} {kind}" for kind in ("quantize", "requantize", "dequantize")]
    if report.conversions:
        yield _entry("conversions", ", ".join(conversions))
    yield from _capped(_entry("output", f"{output.name}: {words.error(output)}") for output in report.outputs)
    yield from _measures(report)
    yield from _reasons(report)
    if report.warnings:
        yield ""
    yield from _capped(f"warning: {warning}" for warning in report.warnings)


def headline(report: Report) -> str:
    """One line: how many of the operators compute in integers."""
    folded = report.count("folded")
    rest = len(report.rows) - folded
    gone = f", {folded} folded away" if folded else ""
    return f"{report.model}: {report.count('quantized')} of {words.counted(rest, 'operator')} in integers{gone}"


def _measures(report: Report) -> Iterator[str]:
    latency, size = report.latency_ms, report.size_bytes
    if {"float", "quantized"} <= set(latency):
        ratio = f", {latency['float'] / latency['quantized']:.2f} times as fast" if latency["quantized"] else ""
        yield _entry("latency", f"{latency['quantized']:.3g} ms (float {latency['float']:.3g} ms{ratio})")
    if {"float", "quantized"} <= set(size):
        yield _entry("constants", f"{size['quantized'] / 1e6:.3g} MB (float {size['float'] / 1e6:.3g} MB)")
    if report.timings_s:
        longest = sorted(report.timings_s.items(), key=lambda item: -item[1])[:3]
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in longest)
        memory = f"   peak memory {report.peak_rss_mb:.0f} MB" if report.peak_rss_mb else ""
        yield _entry("took", f"{sum(report.timings_s.values()):.1f} s ({stages}){memory}")


def _reasons(report: Report) -> Iterator[str]:
    left = [row for row in report.rows if row.outcome in ("float", "skipped")]
    reasons = Counter((row.op, row.reason or "no reason recorded") for row in left)
    if not reasons:
        return
    yield ""
    yield "left in float"
    yield from _capped(f"  {count:4} {op}: {reason}" for (op, reason), count in reasons.most_common())


def _kinds(kinds: Counter[str]) -> str:
    parts = [f"{op} {count}" for op, count in kinds.most_common(4)]
    return ", ".join(parts) + (", ..." if len(kinds) > 4 else "")


def _capped(lines: Iterator[str]) -> Iterator[str]:
    shown = list(lines)
    yield from shown[:MOST_LINES]
    if len(shown) > MOST_LINES:
        yield f"  ... and {len(shown) - MOST_LINES} more"


def _entry(label: str, text: str) -> str:
    return f"  {label:12}{text}"
