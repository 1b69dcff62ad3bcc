"""Where a line that is too long goes on below.

A guard breaks before `and` and `or`: where its author broke it, and wherever else there is no room. Other lines break
only where their author broke them, so that a formula is never taken apart by a machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from qdsl.lang.format.lines import Kind, Line
from qdsl.lang.format.remarks import Gap
from qdsl.lang.format.spacing import is_keyword, is_sign, may_break
from qdsl.lang.tokens import Word

WIDEST = 100
"""Columns of a line that has somewhere to break."""

Width = Callable[[int, int], int]
"""Columns that the words [start, end) take on one line."""


def soft_breaks(
    line: Line, words: Sequence[Word], depth: Sequence[int], gaps: Sequence[Gap], forced: set[int], width: Width
) -> set[int]:
    """Words of a line before which it breaks for want of room; `forced` are those it breaks at in any case."""
    if line.indent + width(line.start, line.end) <= WIDEST:
        return set()
    inner = range(line.start + 1, line.end)
    if line.kind is not Kind.GUARD:
        return {i for i in inner if gaps[i].breaks and may_break(words, i) and not is_sign(words, depth, i)}
    places = [i for i in inner if is_joint(words, depth, i)]
    chosen = {i for i in places if gaps[i].breaks or (gaps[i + 1].breaks and not gaps[i + 1].remarks)}
    return chosen | _filled(line, places, chosen | forced, width)


def is_joint(words: Sequence[Word], depth: Sequence[int], i: int) -> bool:
    """Whether a word joins the terms of a guard."""
    return depth[i] == 0 and words[i].text in ("and", "or") and is_keyword(words, depth, i)


def opens_list(line: Line, start: int, words: Sequence[Word], depth: Sequence[int]) -> int | None:
    """The word behind which a line's list of operators (`in`) or right side (`=`) begins, if word `start` is in it."""
    if is_keyword(words, depth, start):
        return None
    before = range(line.start + 1, start)
    if line.kind is Kind.HEAD:
        lists = [i for i in before if words[i].text in ("in", "overrides") and is_keyword(words, depth, i)]
        return lists[-1] if lists else None
    return next((i for i in before if words[i].text == "=" and depth[i] == 0), None)


def _filled(line: Line, places: Iterable[int], breaks: set[int], width: Width) -> set[int]:
    """More breaks, so that as many terms stand on each line as there is room for."""
    found: set[int] = set()
    begin = line.start + 1
    stops = [*places, line.end]
    for place, next_place in pairwise(stops):
        begin = max([begin, *(i for i in breaks if begin < i <= place)])
        if begin == place:
            continue
        stop = min([next_place, *(i for i in breaks if place < i < next_place)])
        if line.content + width(begin, stop) > WIDEST:
            found.add(place)
            begin = place
    return found
