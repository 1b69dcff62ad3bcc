"""Nearest names: the optimal string alignment distance (Damerau-Levenshtein without repeated edits)."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int) -> int:
    """How many insertions, deletions, substitutions and neighbour swaps turn `a` into `b`; above `limit`, limit + 1.

    d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a_i != b_j), d[i-2][j-2] + 1 if a_i a_i-1 == b_j-1 b_j)
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return limit + 1
        before, above = above, row
    return min(above[-1], limit + 1)


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` was probably meant to be: at most a third of its letters wrong, case aside.

    Of several equally near the first in order of the alphabet; None where none is near.
    """
    limit = max(1, len(word) // 3)
    best: tuple[int, str] | None = None
    for candidate in sorted(candidates):
        edits = distance(word.lower(), candidate.lower(), limit)
        if candidate != word and edits <= limit and (best is None or edits < best[0]):
            best, limit = (edits, candidate), edits
    return best[1] if best else None
