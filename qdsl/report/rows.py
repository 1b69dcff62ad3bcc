"""The rows of a report: one for each operator of the original model, one for each output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, TypeVar

from qdsl.errors import DataError

OUTCOMES = ("quantized", "float", "skipped", "folded")
"""What can become of an operator: computed in integers; left in float for want of a rule that fits; left in float
because somebody asked for it; gone into another operator's constants."""

Numbers = float | tuple[float, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """What became of one operator of the original model."""

    name: str
    """As the model names it."""
    op: str
    """As Relax names it, without `relax.`; as the model does where Relax never saw it."""
    outcome: str
    """One of OUTCOMES."""
    rule: str | None = None
    """The rule that fired, or None."""
    reason: str | None = None
    """Why it was left in float, or why it was skipped."""
    scheme: str | None = None
    """The scheme of the result."""
    bits: int | None = None
    scale: Numbers | None = None
    """Of the result: one number, or one for each channel."""
    zero_point: int | tuple[int, ...] | None = None
    sqnr_db: float | None = None
    """Signal to quantization noise at this operator's result, all error up to here included."""
    sqnr_alone_db: float | None = None
    """The same where only this operator is quantized."""
    time_us: float | None = None

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise DataError(f"operator {self.name}: outcome {self.outcome!r} is none of {', '.join(OUTCOMES)}")
        for name in ("scale", "zero_point", "sqnr_db", "sqnr_alone_db", "time_us"):
            object.__setattr__(self, name, plain(getattr(self, name)))


@dataclass(frozen=True)
class Output:
    """How one output of the quantized model compares with float."""

    name: str
    sqnr_db: float | None
    """None where there is no error at all, or no number (see max_abs_error)."""
    cosine: float | None
    max_abs_error: float | None
    """None where the outputs hold values that are not finite."""

    def __post_init__(self) -> None:
        for name in ("sqnr_db", "cosine", "max_abs_error"):
            object.__setattr__(self, name, plain(getattr(self, name)))

    @property
    def is_exact(self) -> bool:
        return self.max_abs_error == 0.0


def plain(value: Any) -> Any:
    """Arrays and numpy numbers as Python's; numbers that are not finite, which JSON cannot hold, as None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(element) for element in value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_dict(row: Row | Output) -> dict[str, Any]:
    """A row as report.json holds it."""
    return asdict(row)


def from_dict(kind: type[T], data: Any) -> T:
    """A row of report.json; DataError where a field is missing or unknown."""
    if not isinstance(data, Mapping):
        raise DataError(f"expected a {kind.__name__.lower()}, found {data!r}")
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    if unknown := sorted(set(data) - set(known)):
        raise DataError(f"unknown field {unknown[0]!r} in a {kind.__name__.lower()}; was it written by a newer qdsl?")
    if missing := [name for name, field in known.items() if field.default is MISSING and name not in data]:
        raise DataError(f"a {kind.__name__.lower()} lacks {', '.join(missing)}")
    return kind(**data)
