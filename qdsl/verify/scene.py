"""One small graph in which a rule fires, or a fold applies: built from its own pattern, let pass by its own guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tvm import IRModule, relax

from qdsl.formats.format import Format
from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.match import guards
from qdsl.match.book import Book, make_book
from qdsl.match.found import Match
from qdsl.match.graph import Graph
from qdsl.match.pattern import Compiled
from qdsl.passes.annotate import write_plan
from qdsl.passes.marks import Marker
from qdsl.passes.naming import Names
from qdsl.passes.plan import Firing, Plan, Symbols
from qdsl.passes.rebuild import main_graph
from qdsl.passes.scales import Refused
from qdsl.verify.carry import Carried
from qdsl.verify.choose import Choices, Chooser, variations
from qdsl.verify.draft import Draft, Unbuildable
from qdsl.verify.hints import read_hints


@dataclass(frozen=True)
class Scene:
    """A graph, and what the item does in it."""

    item: tree.Rule | tree.Fold
    op: str | None
    """What the `for` variable stands for."""
    choices: Choices
    asked: Mapping[str, int]
    """The labels of all choices, with the number of their options."""
    module: IRModule
    """The float graph."""
    bounds: Mapping[str, int]
    """Integer parameters, and what they are below."""
    annotated: IRModule | None = None
    """For a rule: the graph with its formats, scales still symbols."""
    firing: Firing | None = None


@dataclass
class Stage:
    """Builds scenes of one item; keeps why graphs were turned down."""

    program: Program
    item: tree.Rule | tree.Fold
    refused: dict[str, None] = field(default_factory=dict)
    """Reasons, each once."""

    def __post_init__(self) -> None:
        self.book: Book = make_book([self.item])
        self.hints = read_hints(self.item.when)

    def compiled(self) -> list[Compiled]:
        """The item's patterns, one for each operator of its `for` list."""
        return [c for entries in self.book.by_root.values() for c in entries]

    def scenes(self, compiled: Compiled, most: int, seed: int = 0) -> Iterator[Scene]:
        """Up to `most` scenes, the plainest first."""
        yield from variations(lambda chooser: self.scene(compiled, chooser), most, seed)

    def scene(self, compiled: Compiled, chooser: Chooser) -> Scene | None:
        """The scene of some choices, or None where the item does not apply to it."""
        try:
            return self._scene(compiled, chooser)
        except Unbuildable as reason:
            self.refused.setdefault(str(reason))
        except Refused as refused:
            self.refused.setdefault(refused.reason)
        return None

    def _scene(self, compiled: Compiled, chooser: Chooser) -> Scene | None:
        item = self.item
        carry = (
            Carried(item, self.program.scheme_types, self.hints.quantized)
            if isinstance(item, tree.Rule)
            else lambda name, shape, chooser: None
        )
        draft = Draft(compiled, self.hints, chooser, carry)
        module, root = draft.build()
        graph = main_graph(module)
        match = next(iter(self.book.matches(graph, compiled, root)), None)
        if match is None:
            self.refused.setdefault("the pattern does not match the graph built from it")
            return None
        facts = _Facts(graph, draft.formats)
        verdict = guards.check(item.when, match, facts, self.program.defs)
        if not verdict.holds:
            self.refused.setdefault(f"`{verdict.text}` does not hold" + (f" ({verdict.seen})" if verdict.seen else ""))
            return None
        scene = Scene(item, compiled.op, dict(chooser.choices), dict(chooser.asked), module, dict(draft.bounds))
        return scene if isinstance(item, tree.Fold) else self._marked(scene, item, graph, match, draft.formats)

    def _marked(
        self, scene: Scene, rule: tree.Rule, graph: Graph, match: Match, formats: Mapping[relax.Var, Format]
    ) -> Scene:
        symbols = Symbols()
        for format in formats.values():
            kind = "wide" if format.scheme.is_accumulator else "activation"
            for symbol in format.scale.symbols:
                symbols.make(symbol, format.scheme, kind)
        firing = Marker(match, rule, formats, symbols, self.program.scheme_types, Names()).apply()
        plan = Plan({match.root: firing}, dict(formats), symbols)
        written = write_plan(scene.module, graph, plan)
        return Scene(scene.item, scene.op, scene.choices, scene.asked, scene.module, scene.bounds, written, firing)


@dataclass(frozen=True)
class _Facts:
    """What the guard is told: formats as chosen, and that whatever it hopes for is so."""

    graph: Graph
    formats: Mapping[relax.Var, Format]

    def format_of(self, value: relax.Expr) -> Format | None:
        return self.formats.get(value) if isinstance(value, relax.Var) else None

    def wanted(self, value: relax.Expr) -> bool:
        return True

    def channelwise(self, value: Any) -> bool:
        return True
