"""Names: unique operator names, valid Relax variable names, and the nearest name to a misspelt one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class NameSupply:
    """Hands out names, each once: a name already taken gets the first free number behind it."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = set(reserved)
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, name: str) -> str:
        """A name that was reserved, as it is the first time and numbered from then on."""
        self._reserved.discard(name)
        return self.fresh(name)

    def fresh(self, wanted: str) -> str:
        name = wanted
        number = self._next.get(wanted, 1)
        while name in self._taken or name in self._reserved:
            name = f"{wanted}_{number}"
            number += 1
        self._next[wanted] = number
        self._taken.add(name)
        return name


def variable_name(name: str) -> str:
    """`name` as an identifier that TVMScript prints and reads: '/stem/stem.0/Conv' becomes 'stem_stem_0_Conv'."""
    cleaned = re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_") or "v"
    return f"v{cleaned}" if cleaned[0].isdigit() else cleaned


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """' Did you mean 'input'?' where some known name is near, else an empty text."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean '{near[0]}'?" if near else ""
