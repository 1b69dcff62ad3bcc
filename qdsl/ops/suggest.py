"""What somebody meant who wrote a name that is no operator: other frameworks' names first, then the nearest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from qdsl.lang.nearest import nearest
from qdsl.ops.table import names

_PREFIXES = ("relax.op.", "relax.", "relay.", "R.", "torch.nn.functional.", "torch.nn.", "torch.", "F.", "onnx.")


@dataclass(frozen=True)
class Suggestion:
    """The operator that was probably meant."""

    name: str | None
    """Its name in Relax, or None where there is none (then `hint` says what to write instead) or none is near."""
    origin: str | None = None
    """Relay | ONNX | PyTorch where the name is another framework's."""
    hint: str | None = None
    """What else to know: operands in another order, an attribute under another name."""

    def __str__(self) -> str:
        """The help line: empty where there is nothing to suggest."""
        if self.name is None:
            return self.hint or ""
        text = f"{self.origin}'s name; in Relax it is {self.name}" if self.origin else f"did you mean {self.name}?"
        return f"{text} ({self.hint})" if self.hint else text


@cache
def aliases() -> dict[str, Suggestion]:
    """Other frameworks' names, as written there, and what they are in Relax."""
    text = resources.files("qdsl.ops").joinpath("aliases.json").read_text(encoding="utf-8")
    table: dict[str, Suggestion] = {}
    for origin, entries in json.loads(text).items():
        for alias, (name, *hint) in entries.items():
            table.setdefault(alias, Suggestion(name, origin, hint[0] if hint else None))
    return table


@cache
def _lowercase() -> dict[str, Suggestion]:
    table: dict[str, Suggestion] = {}
    for alias, suggestion in aliases().items():
        table.setdefault(alias.lower(), suggestion)
    return table


@cache
def suggest(name: str) -> Suggestion:
    """What `name`, which is no operator of Relax, was probably meant to be."""
    bare = next((name[len(p) :] for p in _PREFIXES if name.startswith(p)), name)
    known = set(names())
    if bare in known:
        return Suggestion(bare)
    for spelling in (name, bare):
        if spelling in aliases():
            return aliases()[spelling]
    family = f"nn.{bare}" if f"nn.{bare}" in known else _last_part(bare, known)
    if family:
        return Suggestion(family)
    if bare.lower() in _lowercase():
        return _lowercase()[bare.lower()]
    near = nearest(bare, known)
    if near:
        return Suggestion(near)
    by_last_part: dict[str, str] = {}
    for full in sorted(known):
        by_last_part.setdefault(full.rpartition(".")[2], full)
    return Suggestion(by_last_part.get(nearest(bare.rpartition(".")[2], by_last_part) or ""))


def _last_part(name: str, known: set[str]) -> str | None:
    """The one operator whose last part is `name`'s last part: nn.matmul -> matmul, resize2d -> image.resize2d."""
    last = name.rpartition(".")[2]
    found = [full for full in known if full.rpartition(".")[2] == last]
    return found[0] if len(found) == 1 else None
