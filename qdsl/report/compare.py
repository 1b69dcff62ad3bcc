"""Two reports on one model side by side: what differs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from qdsl.report import words

if TYPE_CHECKING:
    from qdsl.report.report import Report

NOTABLE_DB = 1.0
"""A change of an operator's error below this is not listed: seeds and splits move it as much."""


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

    what: str
    """An operator, an output, or a count."""
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Comparison:
    """What differs between two reports, counts and outputs first."""

    before: str
    after: str
    changes: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"before": self.before, "after": self.after, "changes": [asdict(change) for change in self.changes]}

    def text(self) -> str:
        """A line for each change."""
        if not self.changes:
            return f"{self.before} and {self.after} say the same"
        lines = [f"{self.before} -> {self.after}"]
        lines += [f"  {c.what}: {c.field} {_shown(c.before)} -> {_shown(c.after)}" for c in self.changes]
        return "\n".join(lines)


def compare(before: Report, after: Report, names: tuple[str, str] = ("before", "after")) -> Comparison:
    """Counts, outputs and operators that differ; errors of operators only where they move by NOTABLE_DB."""
    changes = [
        Change("summary", kind, before.counts.get(kind, 0), after.counts.get(kind, 0))
        for kind in dict.fromkeys([*before.counts, *after.counts])
        if before.counts.get(kind, 0) != after.counts.get(kind, 0)
    ]
    old_outputs = {output.name: output for output in before.outputs}
    for output in after.outputs:
        old = old_outputs.get(output.name)
        if old is not None and words.error(old) != words.error(output):
            changes.append(Change(f"output {output.name}", "error", words.error(old), words.error(output)))
    new_rows = {row.name: row for row in after.rows}
    old_rows = {row.name: row for row in before.rows}
    changes += [Change(name, "operator", "there", "gone") for name in old_rows if name not in new_rows]
    changes += [Change(name, "operator", "not there", "there") for name in new_rows if name not in old_rows]
    for name in new_rows:
        if name in old_rows:
            changes += _row_changes(name, asdict(old_rows[name]), asdict(new_rows[name]))
    return Comparison(*names, tuple(changes))


def _row_changes(name: str, old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    named = ("outcome", "rule", "reason", "scheme", "bits")
    changes = [Change(name, key, old[key], new[key]) for key in named if old[key] != new[key]]
    was, now = old["sqnr_db"], new["sqnr_db"]
    if was is not None and now is not None and abs(was - now) >= NOTABLE_DB:
        changes.append(Change(name, "dB", round(was, 1), round(now, 1)))
    return changes


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
