"""Report: the rows and what is measured around them; written to and read from report.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qdsl.errors import DataError
from qdsl.lang.nearest import nearest
from qdsl.report.rows import OUTCOMES, Output, Row, from_dict, plain, to_dict
from qdsl.version import __version__

if TYPE_CHECKING:
    from rich.table import Table

CONVERSIONS = ("quantize_ops", "requantize_ops", "dequantize_ops")
"""Conversions in the integer module, counted where they are stored in memory or fused alike."""


@dataclass(frozen=True)
class Report:
    """What a quantization did. Shows itself in a notebook."""

    model: str
    """The model's name."""
    rows: tuple[Row, ...]
    """One for each operator of the original model, in its order."""
    outputs: tuple[Output, ...] = ()
    """Empty where nothing was measured."""
    conversions: Mapping[str, int] = field(default_factory=dict)
    """Counts by CONVERSIONS; further counts may stand beside them, such as how many were fused into a neighbour."""
    timings_s: Mapping[str, float] = field(default_factory=dict)
    """Seconds by stage."""
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    """Measured time of one run: `float` and `quantized`; empty where it was not measured."""
    size_bytes: Mapping[str, int] = field(default_factory=dict)
    """Constants of the model: `float` and `quantized`."""
    peak_rss_mb: float | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """command, versions, seed, sha256 of model, rules, calibration and result."""
    warnings: tuple[str, ...] = ()
    version: str = __version__
    """The qdsl that wrote the report."""

    def __post_init__(self) -> None:
        for name in ("timings_s", "latency_ms"):
            object.__setattr__(self, name, {key: plain(value) for key, value in getattr(self, name).items()})
        object.__setattr__(self, "peak_rss_mb", plain(self.peak_rss_mb))

    def count(self, outcome: str) -> int:
        """How many operators had this outcome."""
        return sum(row.outcome == outcome for row in self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """report.json's summary: operators by outcome, then conversions by kind."""
        outcomes = {outcome: self.count(outcome) for outcome in OUTCOMES}
        return {**outcomes, **dict.fromkeys(CONVERSIONS, 0), **self.conversions}

    def row(self, name: str) -> Row:
        """The row of one operator; DataError that names the nearest where there is none."""
        for row in self.rows:
            if row.name == name:
                return row
        near = nearest(name, (row.name for row in self.rows))
        raise DataError(f"no operator {name!r} in {self.model}" + (f"; did you mean {near!r}?" if near else ""))

    # ---- JSON

    def to_dict(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "qdsl": self.version,
            "model": self.model,
            "summary": self.counts,
            "nodes": [to_dict(row) for row in self.rows],
            "outputs": [to_dict(output) for output in self.outputs],
            "warnings": list(self.warnings),
            "timings_s": dict(self.timings_s),
            "latency_ms": dict(self.latency_ms),
            "size_bytes": dict(self.size_bytes),
            "peak_rss_mb": self.peak_rss_mb,
            "provenance": dict(self.provenance),
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """report.json, written to `path` if there is one; a number that is not finite is null."""
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n"
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Report:
        """A report from the text of report.json, or from its path. Raises DataError for what is no report."""
        try:
            text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
            return cls._from_dict(json.loads(text))
        except OSError as error:
            raise DataError(f"{source}: cannot be read: {error.strerror}") from None
        except (ValueError, DataError) as error:
            place = source if isinstance(source, Path) else "report"
            raise DataError(f"{place}: not a report of qdsl: {error}") from None

    @classmethod
    def _from_dict(cls, data: Any) -> Report:
        if not isinstance(data, dict) or not {"qdsl", "model", "nodes"} <= set(data):
            raise DataError("it lacks the keys qdsl, model and nodes")
        summary = data.get("summary", {})
        return cls(
            model=data["model"],
            rows=tuple(from_dict(Row, node) for node in data["nodes"]),
            outputs=tuple(from_dict(Output, output) for output in data.get("outputs", ())),
            conversions={kind: count for kind, count in summary.items() if kind not in OUTCOMES},
            timings_s=data.get("timings_s", {}),
            latency_ms=data.get("latency_ms", {}),
            size_bytes=data.get("size_bytes", {}),
            peak_rss_mb=data.get("peak_rss_mb"),
            provenance=data.get("provenance", {}),
            warnings=tuple(data.get("warnings", ())),
            version=data["qdsl"],
        )

    # ---- views

    def summary(self) -> str:
        """Plain text that fits a screen."""
        from qdsl.report.summary import summary

        return summary(self)

    def table(self, width: int | None = None) -> Table:
        """A rich table with a line for each operator, for a terminal of so many columns; None: as wide as need be."""
        from qdsl.report.terminal import WIDE, table

        return table(self, WIDE if width is None else width)

    def to_html(self, path: str | Path | None = None) -> str:
        """One self-contained page with a sortable table, written to `path` if there is one."""
        from qdsl.report.html import page

        text = page(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame (needs `qdsl[report]`)."""
        import pandas

        return pandas.DataFrame([to_dict(row) for row in self.rows])

    def _repr_html_(self) -> str:
        from qdsl.report.html import fragment

        return fragment(self)
