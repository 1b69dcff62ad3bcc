"""Choices made while a small graph is built, so that it can be built again with one of them changed.

Every choice has a label and a list of options, the usual one first. A graph is the choices that differ from the first
option, by label: variations change one of them, and a counterexample shrinks by choosing smaller sizes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Choices = Mapping[str, int]
"""Label to the index of the option."""
SHRINKING = ".size"
"""Labels that end so are for counterexamples alone: no variation changes them."""


@dataclass
class Chooser:
    """Answers choices from a mapping, the first option where it says nothing, and remembers what was asked."""

    choices: Choices
    asked: dict[str, int] = field(default_factory=dict)
    """Number of options by label, in the order of asking."""

    def pick(self, label: str, options: Sequence[T]) -> T:
        """One of the options; the same label gets the same answer."""
        self.asked.setdefault(label, len(options))
        return options[min(self.choices.get(label, 0), len(options) - 1)]


def variations(
    build: Callable[[Chooser], T | None], most: int, seed: int, depth: int = 3, attempts: int = 400
) -> Iterator[T]:
    """Up to `most` things that `build` makes, each from other choices; None from `build` means that they do not fit.

    First the things nearest to the first options, then every single change of the first that was found (each label's
    second option before any label's third), then combinations drawn at random from `seed`.
    """
    seen: set[tuple[tuple[str, int], ...]] = set()
    asked: dict[str, int] = {}

    def tried(choices: Choices) -> T | None:
        chooser = Chooser(choices)
        made = build(chooser)
        asked.update((label, count) for label, count in chooser.asked.items() if not label.endswith(SHRINKING))
        return made

    first: Choices | None = None
    queue: deque[Choices] = deque([{}])
    while queue and first is None and attempts > 0:
        choices = queue.popleft()
        seen.add(_key(choices))
        attempts -= 1
        made = tried(choices)
        if made is not None:
            first = choices
            yield made
        elif len(choices) < depth:
            last = max((list(asked).index(label) for label in choices), default=-1)
            later = list(asked)[last + 1 :] if choices else list(asked)
            queue.extend({**choices, label: index} for index, label in _changes(asked, later))
    if first is None:
        return
    found = 1
    draws = _draws(first, asked, np.random.default_rng(seed))
    for choices in draws:
        if found >= most or attempts <= 0:
            return
        if _key(choices) in seen:
            continue
        seen.add(_key(choices))
        attempts -= 1
        made = tried(choices)
        if made is not None:
            found += 1
            yield made


def _changes(asked: Mapping[str, int], labels: Sequence[str]) -> Iterator[tuple[int, str]]:
    for index in range(1, max(asked.values(), default=1)):
        for label in labels:
            if index < asked[label]:
                yield index, label


def _draws(first: Choices, asked: Mapping[str, int], generator: np.random.Generator) -> Iterator[Choices]:
    for index in range(max(asked.values(), default=1)):
        for label, count in list(asked.items()):
            if index < count and index != first.get(label, 0):
                yield {**first, label: index}
    for _ in range(200):
        yield {label: int(generator.integers(count)) for label, count in list(asked.items()) if count > 1}


def _key(choices: Choices) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((label, index) for label, index in choices.items() if index))
