"""What a person should be told about a result, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from qdsl.config import QConfig
from qdsl.report import Row
from qdsl.session.stages import Annotated


def warnings_of(table: Sequence[Row], decided: Annotated, config: QConfig) -> Iterator[str]:
    """All warnings about a quantization."""
    yield from config.warnings()
    for skip in decided.skips.idle:
        what = f'at "{skip.at}"' if skip.at is not None else "pattern"
        yield f"{skip.span}: the skip {what} hits nothing in this model (Q0409)"
    if table and not any(row.outcome == "quantized" for row in table):
        reasons = Counter(row.reason or "" for row in table if row.outcome in ("float", "skipped"))
        told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(5))
        yield f"nothing was quantized. Reasons: {told or 'the model has no operator that computes'}"
