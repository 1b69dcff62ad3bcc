"""What checking a call needs to know of where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qdsl.check.builtins import Builtin, allowed
from qdsl.check.matched import Matched
from qdsl.lang import tree
from qdsl.ops import Operator, lookup


@dataclass(frozen=True)
class Context:
    """One clause of one item."""

    clause: str
    """match | when | scale | realize | rewrite | given | def."""
    defs: Mapping[str, tree.Def]
    matched: Matched | None = None
    """The item's match; None in defs and tests."""
    unread: frozenset[str] = frozenset()
    """Names that items with syntax errors would have declared."""
    calls: Mapping[str, tree.Call] = field(default_factory=dict)
    """In a test, the calls that its names are results of."""

    @property
    def is_pattern(self) -> bool:
        """Whether calls are matched here rather than made."""
        return self.clause == "match"

    @property
    def builtins(self) -> dict[str, Builtin]:
        return allowed(self.clause)

    def operators(self, func: str) -> tuple[Operator, ...]:
        """The operators that a name stands for; none for what is no operator, or not known for all of a `for` list."""
        if self.matched is not None and func in self.matched.each:
            return self.matched.operators(func) if self.matched.is_known(func) else ()
        found = lookup(func)
        return () if found is None else (found,)

    def is_each(self, func: str) -> bool:
        """Whether a name is the one after `for`."""
        return self.matched is not None and func in self.matched.each

    def maker(self, name: str) -> tree.Call | None:
        """The call that a name is a result of."""
        if self.matched is not None:
            capture = self.matched.captures.get(name)
            return None if capture is None else capture.call
        return self.calls.get(name)
