"""What stands below each other in columns: the `=` of a clause's bindings, and the parts of neighbouring schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qdsl.lang import tree
from qdsl.lang.format.remarks import Gap
from qdsl.lang.tokens import Word

LONGEST_ALIGNED = 12
"""Names longer than this do not push the `=` of their neighbours away."""

Pads = dict[int, int]
"""Blanks before a word, where they are not what its neighbours ask for."""


def column_pads(file: tree.File, words: Sequence[Word], gaps: Sequence[Gap]) -> Pads:
    """The blanks that make columns."""
    by_start = {word.start: number for number, word in enumerate(words)}
    pads: Pads = {}
    for item in file.items:
        for bindings in _clauses(item):
            pads.update(_equal_signs(bindings, by_start))
    for group in _neighbours(file, by_start, gaps):
        pads.update(_scheme_columns(group, words))
    return pads


def _clauses(item: tree.Item) -> Iterable[Sequence[tree.Node]]:
    if isinstance(item, tree.Rule):
        return item.match, item.realize or ()
    if isinstance(item, tree.Fold):
        return item.match, item.rewrite
    return ()


def _equal_signs(bindings: Iterable[tree.Node], by_start: Mapping[int, int]) -> Pads:
    """`gain = ...` above `y    = ...`; a destructuring stands as it comes."""
    widths: dict[int, int] = {}
    for binding in bindings:
        if not isinstance(binding, tree.Binding) or len(binding.targets) != 1:
            continue
        target = binding.targets[0]
        words = 2 if isinstance(target, tree.SpreadTarget) else 1
        width = 1 if isinstance(target, tree.IgnoredTarget) else len(target.id) + 3 * (words - 1)
        if width <= LONGEST_ALIGNED:
            widths[by_start[binding.span.start] + words] = width
    return _padded(widths)


def _neighbours(file: tree.File, by_start: Mapping[int, int], gaps: Sequence[Gap]) -> list[list[range]]:
    """Runs of schemes with no empty line and no line of comment between them; of each scheme the range of its words."""
    starts = [by_start[item.span.start] for item in file.items]
    runs: list[list[range]] = []
    last = -2
    for number, item in enumerate(file.items):
        if not isinstance(item, tree.Scheme):
            continue
        start = starts[number]
        end = starts[number + 1] if number + 1 < len(starts) else len(gaps) - 1
        apart = gaps[start].blank or any(r.own_line for r in gaps[start].remarks)
        if apart or last != number - 1:
            runs.append([])
        runs[-1].append(range(start, end))
        last = number
    return runs


def _scheme_columns(schemes: Iterable[range], words: Sequence[Word]) -> Pads:
    """`scheme NAME = DTYPE FLAG ...`: name, dtype and first flag each have a column."""
    pads: Pads = {}
    for column in (1, 3, 4):
        behind = {s[column + 1]: len(words[s[column]].text) for s in schemes if len(s) > column + 1}
        pads.update(_padded({i: width for i, width in behind.items() if words[i - 1].kind != "INT"}))
    return pads


def _padded(widths: Mapping[int, int]) -> Pads:
    """For each word that begins a column, the blanks before it, from the width of what stands there."""
    widest = max(widths.values(), default=0)
    return {i: widest - width + 1 for i, width in widths.items()}
