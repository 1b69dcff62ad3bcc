"""The search: the smallest number at which something is bad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Search:
    """Values of a metric by number of applications, each found once."""

    value_at: Callable[[int], float]
    minimum: float
    values: dict[int, float] = field(default_factory=dict)

    def value(self, count: int) -> float:
        if count not in self.values:
            self.values[count] = self.value_at(count)
        return self.values[count]

    def falls(self, count: int) -> bool:
        """Whether the metric is below the minimum, or no number, after so many applications."""
        return not self.value(count) >= self.minimum

    def scan(self, total: int) -> int | None:
        """The smallest count at which it falls, one after the other; None where it never does."""
        return next((count for count in range(total + 1) if self.falls(count)), None)

    def bisect(self, total: int) -> int | None:
        """A count at which it falls and before which it does not, by halves: the smallest one where it falls once and
        for all. None where it has not fallen at the end."""
        if self.falls(0):
            return 0
        if not self.falls(total):
            return None
        good, bad = 0, total
        while bad - good > 1:
            middle = (good + bad) // 2
            if self.falls(middle):
                bad = middle
            else:
                good = middle
        return bad
