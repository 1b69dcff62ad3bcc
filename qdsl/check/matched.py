"""A match clause read for its names: what each stands for, which binding is the root, which operators are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.ops import Operator, lookup

Patterned = tree.Rule | tree.Fold | tree.Skip


@dataclass(frozen=True)
class Capture:
    """A name of the match."""

    name: str
    span: Span
    """Where it stands first."""
    call: tree.Call | None
    """The call that it is a result of; None for what comes from outside."""
    kind: str
    """tensor | tensors | shape | number | numbers, as the first operand position it stands in; tensor for results."""


@dataclass(frozen=True)
class Matched:
    """What the match of a rule, fold or skip says."""

    item: Patterned
    bindings: tuple[tree.Binding, ...]
    captures: Mapping[str, Capture]
    roots: tuple[tree.Binding, ...]
    """The bindings that nothing else in the match reads; a sound match has one."""
    results: tuple[str, ...]
    """The names of the root's results (of all roots, where the match is unsound)."""
    interior: tuple[str, ...]
    """The names of values that are computed inside the match and are no results."""
    each: Mapping[str, tuple[str, ...]]
    """The name after `for` with its operators, as written."""

    def operators(self, func: str) -> tuple[Operator, ...]:
        """The operators that a called name stands for; unknown ones are left out."""
        found = (lookup(name) for name in self.each.get(func, (func,)))
        return tuple(o for o in found if o is not None)

    def is_known(self, func: str) -> bool:
        """Whether every operator that a called name stands for is known."""
        return all(lookup(name) is not None for name in self.each.get(func, (func,)))

    def calls(self) -> Iterator[tree.Call]:
        """All calls of the match, outermost first."""
        for binding in self.bindings:
            yield from calls_of(binding.value)

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of what comes from outside."""
        return tuple(c.name for c in self.captures.values() if c.call is None)


def read_match(item: Patterned) -> Matched:
    """Reads the match of an item. A skip's pattern is a match whose result has no name."""
    if isinstance(item, tree.Skip):
        each: dict[str, tuple[str, ...]] = {}
        pattern = item.pattern
        bindings: tuple[tree.Binding, ...] = (
            () if pattern is None else (tree.Binding(item.span, (tree.IgnoredTarget(item.span),), pattern),)
        )
    else:
        each = {item.each.variable: item.each.operator_names} if item.each else {}
        bindings = item.match
    captures: dict[str, Capture] = {}
    read: set[str] = set()
    for binding in bindings:
        for name, kind in names_in(binding.value, each, "tensor"):
            read.add(name.id)
            captures.setdefault(name.id, Capture(name.id, name.span, None, kind))
        call = binding.value if isinstance(binding.value, tree.Call) else None
        for target in named(binding.targets):
            captures[target.id] = Capture(target.id, target.span, call, "tensor")
    roots = tuple(b for b in bindings if not read.intersection(t.id for t in named(b.targets)))
    results = tuple(t.id for b in roots for t in named(b.targets))
    made = [t.id for b in bindings for t in named(b.targets)]
    interior = tuple(n for n in made if n not in results)
    return Matched(item, bindings, captures, roots, results, interior, each)


def named(targets: tuple[tree.Target, ...]) -> tuple[tree.NameTarget | tree.SpreadTarget, ...]:
    """The targets that have names."""
    return tuple(t for t in targets if not isinstance(t, tree.IgnoredTarget))


def calls_of(expr: tree.Node) -> Iterator[tree.Call]:
    """All calls in an expression, outermost first."""
    return (n for n in tree.walk(expr) if isinstance(n, tree.Call))


def names_in(
    expr: tree.Node, each: Mapping[str, tuple[str, ...]], kind: str
) -> Iterator[tuple[tree.Name | tree.Spread, str]]:
    """The names in a pattern, each with the kind of the operand position it stands in."""
    if isinstance(expr, tree.Name | tree.Spread):
        yield expr, kind
    elif isinstance(expr, tree.Call):
        operator = next((o for n in each.get(expr.func, (expr.func,)) if (o := lookup(n))), None)
        places = operator.places(len(expr.positional)) if operator else None
        kinds = {o.name: o.kind for o in operator.operands} if operator else {}
        for index, argument in enumerate(expr.positional):
            name = places[index] if places else None
            yield from names_in(argument, each, kinds.get(name or "", "tensor"))
        for keyword in expr.keywords:
            yield from names_in(keyword.value, each, kinds.get(keyword.name, "attribute"))
    else:
        inner = "tensor" if kind == "tensors" and isinstance(expr, tree.List) else kind
        for child in tree.children(expr):
            yield from names_in(child, each, inner)
