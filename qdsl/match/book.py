"""A rule set ready to match: every rule compiled for each of its operators, indexed by root operator, in order of
trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tvm import relax
from tvm.relax import dpl

from qdsl.lang import tree
from qdsl.match.bind import bind
from qdsl.match.dataflow import dataflow_pattern
from qdsl.match.found import Failure, Match
from qdsl.match.graph import Graph, operator_name
from qdsl.match.pattern import Capture, Compiled, Operator, compile_bindings, walk
from qdsl.ops import lookup


@dataclass(frozen=True)
class Book:
    """Compiled patterns by root operator; within one root, overriding rules and larger patterns come first."""

    by_root: Mapping[str, tuple[Compiled, ...]]
    _patterns: dict[int, dpl.DFPattern] = field(default_factory=dict, repr=False)

    def at(self, graph: Graph, root: relax.Var) -> tuple[Compiled, ...]:
        """The patterns whose root operator is the one at `root`."""
        return self.by_root.get(operator_name(graph.value_of[root]) or "", ())

    def matches(self, graph: Graph, compiled: Compiled, root: relax.Var) -> Iterator[Match]:
        """The ways in which one pattern matches at a root; TVM decides first."""
        pattern = self._patterns.get(id(compiled))
        if pattern is None:
            pattern = self._patterns.setdefault(id(compiled), dataflow_pattern(compiled))
        if pattern.match(graph.value_of[root], graph.var2val_at(root, compiled.size)):
            yield from bind(graph, compiled, root)

    def near_miss(self, graph: Graph, compiled: Compiled, root: relax.Var) -> Failure | Match:
        """How far a pattern got that does not match; a match where only `constant` terms of its guard are in the
        way."""
        failure = Failure()
        return next(bind(graph, compiled, root, failure), failure)


LATER = 1000
"""Added to the rank of rules that come after all others (the stock rules behind a user's own)."""


def make_book(items: Sequence[tree.Rule | tree.Fold | tree.Skip], later: frozenset[str] = frozenset()) -> Book:
    """Compiles items and sorts them by root; rules named in `later` are tried after all others.

    Raises RuleError for what the checker reports as Q0204.
    """
    ranks = _ranks([i for i in items if isinstance(i, tree.Rule)])
    compiled: dict[str, list[Compiled]] = {}
    for item in items:
        for op in _choices(item):
            rank = ranks.get(item.name, 0) + LATER * (item.name in later) if isinstance(item, tree.Rule) else 0
            one = _compile(item, op, rank)
            compiled.setdefault(one.root.op, []).append(one)
    ordered = {root: tuple(sorted(found, key=lambda c: (c.rank, -c.size))) for root, found in compiled.items()}
    return Book(ordered)


def _choices(item: tree.Rule | tree.Fold | tree.Skip) -> list[str | None]:
    each = None if isinstance(item, tree.Skip) else item.each
    return [None] if each is None else [op for op, _ in each.operators]


def _compile(item: tree.Rule | tree.Fold | tree.Skip, op: str | None, rank: int) -> Compiled:
    if isinstance(item, tree.Skip):
        assert item.pattern is not None
        binding = tree.Binding(item.span, (tree.IgnoredTarget(item.span),), item.pattern)
        root = compile_bindings((binding,), None, None, item.span)
        root = Operator(root.op, root.operands, root.attributes, root.commutative, (), root.span)
    else:
        variable = item.each.variable if item.each else None
        root = compile_bindings(item.match, variable, op, item.name_span)
    return Compiled(item, op, root, frozenset(constant_names(item.when) & tensor_names(root)), rank)


def tensor_names(root: Operator) -> set[str]:
    """Names that stand where an operator reads a tensor: a number operand (a bound of clip) is no constant to DPL."""
    names: set[str] = set()
    for call in (p for p in walk(root) if isinstance(p, Operator)):
        known = lookup(call.op)
        kinds = [o.kind for o in known.operands] if known is not None else []
        for position, operand in enumerate(call.operands):
            if isinstance(operand, Capture) and kinds[position : position + 1] in ([], ["tensor"]):
                names.add(operand.name)
    return names


def constant_names(when: tree.Expr | None) -> set[str]:
    """Names that a top-level `constant(...)` term of a guard speaks of."""
    names: set[str] = set()
    for term in tree.conjuncts(when):
        if isinstance(term, tree.Call) and term.func == "constant":
            names |= {a.id for a in term.positional if isinstance(a, tree.Name)}
    return names


def _ranks(rules: Sequence[tree.Rule]) -> dict[str, int]:
    """0 for rules that nobody overrides, more for those that come after an overriding one."""
    overriders: dict[str, list[str]] = {}
    for rule in rules:
        for target in rule.overrides:
            overriders.setdefault(target.id, []).append(rule.name)
    ranks: dict[str, int] = {}

    def rank(name: str, path: tuple[str, ...]) -> int:
        if name in path:
            return 0
        if name not in ranks:
            ranks[name] = max((rank(o, (*path, name)) + 1 for o in overriders.get(name, ())), default=0)
        return ranks[name]

    return {rule.name: rank(rule.name, ()) for rule in rules}
