"""bisect: the application of a rule at which a metric falls below a bound.

The model is annotated, calibrated and compiled once, with every conversion's scale as a parameter. With the first n
applications only, their conversions are on and all others off: what is still float is float, and an accumulator that
float reads is exact, as it would be after `quantize --fuel n`. So each count costs a run of the samples and nothing
else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qdsl.bisect.bench import Told, make_bench
from qdsl.bisect.search import Search
from qdsl.calibrate.calibration import Calibration
from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.lang.source import Span
from qdsl.match.graph import operator_name, origin
from qdsl.ruleset import RuleSet

SCANNED = 64
"""Up to so many applications each count is tried; of more, halves."""


@dataclass(frozen=True)
class Bisection:
    """What was found."""

    metric: str
    minimum: float
    total: int
    """Applications of rules in the whole model."""
    fuel: int | None
    """The smallest number of applications at which the metric is below the minimum; None where it never is."""
    value: float
    """The metric there, or with everything quantized."""
    before: float | None
    """The metric with one application less."""
    scanned: bool
    """Whether every smaller number was tried; else halves were."""
    rule: str | None = None
    place: Span | None = None
    operator: str | None = None
    """The operator of the model, by its name."""
    op: str | None = None
    values: Mapping[int, float] = field(default_factory=dict)
    """The metric by number of applications, as far as it was asked for."""

    @property
    def fell(self) -> bool:
        return self.fuel is not None

    def text(self) -> str:
        """For people."""
        many = f"{self.total} application{'' if self.total == 1 else 's'} of rules"
        if self.fuel is None:
            return (
                f"{self.metric} is {self._number(self.value)} with all {many}: not below {self._number(self.minimum)}"
            )
        if self.fuel == 0:
            return f"{self.metric} is {self._number(self.value)} in float already, below {self._number(self.minimum)}"
        assert self.before is not None
        how = (
            "every number below it was tried"
            if self.scanned
            else "found by halves: it may have fallen and risen before"
        )
        return "\n".join(
            [
                f"{self.metric} falls below {self._number(self.minimum)} at application {self.fuel} of {self.total}: "
                f"{self._number(self.before)} before, {self._number(self.value)} after ({how})",
                f"  rule      {self.rule} ({self.place})",
                f"  operator  {self.operator} ({self.op})",
                f"  to leave it in float: --skip '{self.operator}'; to stop before it: --fuel {self.fuel - 1}",
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        place = None if self.place is None else {"file": self.place.path, "line": self.place.line}
        return {
            "metric": self.metric, "minimum": self.minimum, "total": self.total, "fuel": self.fuel,
            "value": _finite(self.value), "before": None if self.before is None else _finite(self.before),
            "scanned": self.scanned, "rule": self.rule, "place": place, "operator": self.operator, "op": self.op,
            "values": [[count, _finite(value)] for count, value in sorted(self.values.items())],
        }  # fmt: skip

    def _number(self, value: float) -> str:
        if self.metric == "sqnr":
            return "exact" if np.isinf(value) else f"{value:.4g} dB"
        return f"{value:g}"


def bisect(
    model: Any,
    calibration: Any,
    minimum: float,
    metric: str = "sqnr",
    *,
    data: Any = None,
    config: QConfig | None = None,
    rules: RuleSet | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    params: Mapping[str, Any] | None = None,
    scan: bool | None = None,
    told: Told = lambda stage, done, total: None,
) -> Bisection:
    """Finds the smallest number of rule applications at which a metric falls below `minimum`.

    Args:
        model, config, rules, shapes, params: as for `quantize`.
        calibration: samples to calibrate with, or a Calibration made before (then `data` is needed).
        metric: "sqnr", or a command (see `qdsl.bisect.metric`).
        data: samples to measure on, in the forms of `calibration`; default: those.
        scan: try every number (True) or halves (False); default: every number up to 64 applications.

    Raises QdslError as quantize does, and ConfigError for a command that fails or prints no number.
    """
    if isinstance(calibration, Calibration) and data is None:
        raise ConfigError("a saved calibration has no samples to measure on: name some with --data")
    bench = make_bench(model, calibration, data, metric, config or QConfig(), rules, shapes, params, told)
    total = len(bench.firings)
    search = Search(bench.value, minimum)
    scanned = scan if scan is not None else total <= SCANNED
    fuel = search.scan(total) if scanned else search.bisect(total)
    before = None if not fuel else search.value(fuel - 1)
    value = search.value(total if fuel is None else fuel)
    found = Bisection(metric, minimum, total, fuel, value, before, scanned, values=dict(search.values))
    if not fuel:
        return found
    root, firing = bench.firings[fuel - 1]
    call = bench.graph.value_of[root]
    return replace(
        found,
        rule=firing.rule.name,
        place=firing.rule.name_span,
        operator=origin(call) or str(root.name),
        op=operator_name(call),
    )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
