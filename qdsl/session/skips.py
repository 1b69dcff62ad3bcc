"""Which operators no rule may touch, and why: `skip` items of rule files, and what the configuration asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tvm import relax

from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.lang import tree
from qdsl.lang.nearest import nearest
from qdsl.match import guards
from qdsl.match.book import make_book
from qdsl.match.facts import FloatFacts
from qdsl.match.graph import Graph, operator_name, origin

CONVOLUTIONS = tuple(f"nn.conv{n}d{t}" for n in (1, 2, 3) for t in ("", "_transpose"))


@dataclass(frozen=True)
class Skips:
    """Operators left alone, by the variable that they define."""

    reasons: Mapping[relax.Var, str]
    idle: tuple[tree.Skip, ...]
    """Skip items that hit nothing in this model."""


def find_skips(
    graph: Graph,
    items: Sequence[tree.Skip],
    defs: Mapping[str, tree.Def],
    config: QConfig,
    kinds: Mapping[str, str] | None = None,
) -> Skips:
    """All operators to be skipped. `kinds` gives the original model's operator type for an origin.

    Raises ConfigError for a pattern or an index of the configuration that hits nothing.
    """
    reasons: dict[relax.Var, str] = {}
    idle: list[tree.Skip] = []
    for item in items:
        hits = list(_at(graph, item.at)) if item.at is not None else list(_matching(graph, item, defs))
        if not hits:
            idle.append(item)
        for var in hits:
            reasons.setdefault(var, f"skipped by a rule file: {item.because}")
    for var, reason in _configured(graph, config, kinds or {}):
        reasons.setdefault(var, reason)
    return Skips(reasons, tuple(idle))


def _operators(graph: Graph) -> Iterator[tuple[relax.Var, str]]:
    for binding in graph.bindings:
        name = operator_name(binding.value)
        if name is not None:
            yield binding.var, name


def _at(graph: Graph, pattern: str) -> Iterator[relax.Var]:
    for var, _ in _operators(graph):
        if any(fnmatchcase(name, pattern) for name in names_of(graph, var)):
            yield var


def names_of(graph: Graph, var: relax.Var) -> list[str]:
    """What an operator answers to: its variable, and its name in the original model."""
    made = origin(graph.value_of[var])
    return [str(var.name)] if made is None else [str(var.name), made]


def _matching(graph: Graph, item: tree.Skip, defs: Mapping[str, tree.Def]) -> Iterator[relax.Var]:
    book = make_book([item])
    for var, _ in _operators(graph):
        for compiled in book.at(graph, var):
            matches = book.matches(graph, compiled, var)
            if any(guards.check(item.when, m, FloatFacts(graph), defs).holds for m in matches):
                yield var


def _configured(graph: Graph, config: QConfig, kinds: Mapping[str, str]) -> Iterator[tuple[relax.Var, str]]:
    operators = list(_operators(graph))
    for pattern in config.skip:
        hits = [v for v, op in operators if _answers(graph, v, op, pattern, kinds)]
        if not hits:
            known = dict.fromkeys(n for v, op in operators for n in (*names_of(graph, v), op))
            near = nearest(pattern, known)
            hint = f"; did you mean {near!r}?" if near else ""
            raise ConfigError(f"skip: no operator of the model is called or matches {pattern!r}{hint}")
        yield from ((v, f"skipped by the configuration: skip = {pattern!r}") for v in hits)
    convolutions = [v for v, op in operators if op in CONVOLUTIONS]
    for index in config.skip_conv_layers:
        if index >= len(convolutions):
            raise ConfigError(f"skip_conv_layers: there is no convolution {index}; the model has {len(convolutions)}")
        yield convolutions[index], f"skipped by the configuration: skip_conv_layers has {index}"
    if config.skip_dense_layer:
        why = "skipped by the configuration: skip_dense_layer"
        yield from ((v, why) for v, op in operators if op == "matmul")


def _answers(graph: Graph, var: relax.Var, op: str, pattern: str, kinds: Mapping[str, str]) -> bool:
    names = names_of(graph, var)
    kind = kinds.get(names[-1], "")
    return any(fnmatchcase(name, pattern) for name in (*names, op, kind) if name)
