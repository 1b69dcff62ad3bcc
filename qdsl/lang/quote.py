"""Pieces of a rule file as they are quoted in messages: between backticks, and not longer than a message bears."""

from __future__ import annotations

LONGEST = 40


def quote(text: str) -> str:
    """`text`, cut where it is long."""
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[: LONGEST - 3]}...`"
