"""What annotate decides: which rule fired where, which value is read in which format. A plan holds no calibrated
number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tvm import relax

from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.match.found import Match


@dataclass(frozen=True)
class Read:
    """How a fired rule reads one value."""

    value: relax.Expr
    """A variable of the folded function, or a constant."""
    format: Format | None
    """None: read in float."""
    coerced: bool
    """Whether an edge converts the value into `format`; else it carries that format already."""


@dataclass(frozen=True)
class Firing:
    """One application of a rule."""

    match: Match
    rule: tree.Rule
    reads: Mapping[str, tuple[Read, ...]]
    results: Mapping[str, tuple[Format | None, ...]]

    @property
    def replaces_operator(self) -> bool:
        """Whether realize replaces the float operator (a rule without the clause keeps it)."""
        return self.rule.realize is not None


@dataclass(frozen=True)
class Attempt:
    """A rule that was tried at an operator."""

    rule: str
    span: Span
    fired: bool
    reason: str = ""
    term: str = ""
    """The guard term that failed, as written; empty where it was something else."""
    place: Span | None = None
    """Where in the rule file the failing step stands."""
    mark: str = ""
    """The mark that does not fit the values, as written; empty where it was something else."""


@dataclass(frozen=True)
class Decision:
    """What became of one operator of the folded function, and every rule that was tried on the way."""

    var: str
    op: str
    origin: str | None
    outcome: str
    """quantized | float | skipped"""
    rule: str | None
    reason: str
    attempts: tuple[Attempt, ...] = ()
    result: Format | None = None


@dataclass
class Symbols:
    """Free scales by name, with their scheme; scales that `share` makes one are joined."""

    scheme: dict[str, SchemeType] = field(default_factory=dict)
    kind: dict[str, str] = field(default_factory=dict)
    """activation | weight | wide"""
    _parent: dict[str, str] = field(default_factory=dict)

    def make(self, name: str, scheme: SchemeType, kind: str) -> str:
        """A free scale of this name; asking twice gives the same one."""
        if name not in self.scheme:
            self.scheme[name], self.kind[name] = scheme, kind
        return name

    def find(self, name: str) -> str:
        """The name that stands for the whole group of a scale."""
        while name in self._parent:
            name = self._parent[name]
        return name

    def join(self, a: str, b: str) -> None:
        """Makes two free scales one."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self._parent[b] = a

    def resolve(self, format: Format) -> Format:
        """The format in terms of groups' names."""
        names = {s: self.find(s) for s in format.scale.symbols}
        zero = self.find(format.zero) if isinstance(format.zero, str) else format.zero
        return Format(format.scheme, format.scale.rename(names), zero, format.axis)

    def is_free(self, format: Format) -> bool:
        """Whether the scale is one calibrated symbol, so that it may be shared."""
        symbols = format.scale.powers
        return (
            len(symbols) == 1
            and symbols[0][1] == 1
            and format.scale.coefficient == 1.0
            and self.kind.get(symbols[0][0]) == "activation"
        )


@dataclass
class Plan:
    """Everything that annotate decided about a function."""

    firings: dict[relax.Var, Firing] = field(default_factory=dict)
    """By the variable of the root operator."""
    formats: dict[relax.Var, Format] = field(default_factory=dict)
    """Values that are made in an integer format."""
    symbols: Symbols = field(default_factory=Symbols)
    decisions: list[Decision] = field(default_factory=list)

    def scale_of(self, name: str) -> Scale:
        return Scale.of(self.symbols.find(name))
