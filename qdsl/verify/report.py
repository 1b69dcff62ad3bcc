"""What verify found, for people and as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.render import as_dict as finding_as_dict
from qdsl.ruletest.coverage import place
from qdsl.verify.failure import Failure
from qdsl.verify.rule import Verified


@dataclass(frozen=True)
class VerifyReport:
    """Every rule and fold that was asked for, an entry for each operator of its `for` list."""

    verified: tuple[Verified, ...]
    typed: tuple[Diagnostic, ...] = ()
    """What the checker says of their formats and scales."""

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(v.failure for v in self.verified if v.failure is not None)

    @property
    def untried(self) -> tuple[Verified, ...]:
        """Those of which no graph could be made or compiled."""
        return tuple(v for v in self.verified if not v.tried)

    @property
    def sound(self) -> bool:
        return not self.failures and not self.typed

    def summary(self) -> str:
        rules = {v.item.name for v in self.verified}
        broken = {f.item.name for f in self.failures}
        scenes, cases = sum(v.scenes for v in self.verified), sum(v.cases for v in self.verified)
        line = f"{len(rules)} rules and folds, {scenes} graphs, {cases} runs: "
        return line + (f"{len(broken)} broken ({', '.join(sorted(broken))})" if broken else "all promises kept")

    def as_dict(self) -> dict[str, Any]:
        return {
            "sound": self.sound,
            "rules": [
                {
                    "rule": v.item.name,
                    "op": v.op,
                    **place(v.item.name_span),
                    "graphs": v.scenes,
                    "runs": v.cases,
                    "tried": v.tried,
                    "why_not": untried_because(v) if not v.tried else None,
                    "failure": None if v.failure is None else v.failure.as_dict(),
                }
                for v in self.verified
            ],
            "findings": [finding_as_dict(d) for d in self.typed],
        }


def untried_because(verified: Verified) -> str:
    """Why nothing could be tried."""
    reasons = verified.unsupported or verified.refused
    return "; ".join(reasons[:2]) if reasons else "its pattern gives no graph"
