"""The word that was probably meant: nearest by edits, and near enough to be worth saying."""

from __future__ import annotations

from collections.abc import Iterable


def edits(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        two_before, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
    return row[-1]


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate with the fewest edits, at most a third of the longer word's length; else None."""
    lowered = word.lower()[:64]
    ranked = sorted((edits(lowered, c.lower()), c) for c in candidates if c != word)
    if not ranked:
        return None
    distance, best = ranked[0]
    return best if distance <= max(len(lowered), len(best)) / 3 else None
