"""One thing that could be written at the cursor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proposal:
    """Proposals of a lower `rank` are shown first."""

    label: str
    kind: str
    """keyword snippet operator guard builder def rule scheme value field attribute letter dtype flag file text"""
    detail: str = ""
    insert: str | None = None
    """What is written, where it is not the label."""
    snippet: str | None = None
    """The same with places to fill in, for editors that can."""
    start: int | None = None
    """Where the text begins that is replaced, if not at the word being typed."""
    rank: int = 5
