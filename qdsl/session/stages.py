"""The stages of a quantization as functions of modules; `qdsl.transform` wraps them as passes, `quantize` runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tvm import IRModule

from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.lang import tree
from qdsl.lang.nearest import nearest
from qdsl.match.book import make_book
from qdsl.match.graph import Graph
from qdsl.passes.annotate import write_plan
from qdsl.passes.fold import FoldTrace, fold_module
from qdsl.passes.narrow import narrow_leaving
from qdsl.passes.partition import partition
from qdsl.passes.plan import Plan
from qdsl.passes.realize import realize_module
from qdsl.passes.rebuild import main_graph
from qdsl.passes.sweep import Record, Sweep
from qdsl.realize.builders import Rounding
from qdsl.ruleset import RuleSet
from qdsl.session.schemes import effective_schemes
from qdsl.session.skips import Skips, find_skips


@dataclass(frozen=True)
class Annotated:
    """What annotate gives: the module, and what it decided."""

    module: IRModule
    graph: Graph
    plan: Plan
    skips: Skips


def fold(
    module: IRModule,
    rules: RuleSet,
    config: QConfig,
    trace: FoldTrace | None = None,
    record: Record | None = None,
) -> IRModule:
    """Float to float: the fold rules, unless fold_batch_norm = false."""
    if not config.fold_batch_norm:
        return module
    return fold_module(module, enabled_folds(rules, config), rules.program.defs, trace, record)


def annotate(
    module: IRModule,
    rules: RuleSet,
    config: QConfig,
    kinds: Mapping[str, str] | None = None,
    record: Record | None = None,
    fuel: int | None = None,
) -> Annotated:
    """Formats by rules: no numbers yet."""
    graph = main_graph(module)
    skips = find_skips(graph, rules.program.skips, rules.program.defs, config, kinds)
    schemes = effective_schemes(rules.program.scheme_types, config)
    book = make_book(enabled_rules(rules, config), rules.later)
    plan = Sweep(graph, book, schemes, rules.program.defs, skips.reasons, record, fuel, config.nbit_activation).run()
    written = write_plan(module, graph, plan)
    if config.store_lowbit_output:
        written = narrow_leaving(written, schemes)
    return Annotated(written, graph, plan, skips)


def realize(module: IRModule, rules: RuleSet, config: QConfig) -> IRModule:
    """Integers, in one function or, with partition_conversions, in three and the one that calls them."""
    rounding = Rounding(config.requantize, config.rounding, config.round_for_shift)
    integer = realize_module(module, rules.program.rules, rules.program.defs, rounding)
    return partition(integer, config.partition_conversions)


def enabled_rules(rules: RuleSet, config: QConfig) -> list[tree.Rule]:
    """The rules that may fire. Raises ConfigError for a name in `only` or `without` that no rule has."""
    names = [r.name for r in rules.program.rules] + [f.name for f in rules.program.folds]
    for name in (*config.only, *config.without):
        if name not in names:
            near = nearest(name, names)
            raise ConfigError(f"there is no rule {name!r}" + (f"; did you mean {near!r}?" if near else ""))
    chosen = [r for r in rules.program.rules if r.name not in config.without]
    if config.only:
        chosen = [r for r in chosen if r.name in config.only]
    if config.debug_enabled_ops is None:
        return chosen
    enabled = set(config.debug_enabled_ops)
    return [r for r in chosen if enabled & root_operators(r)]


def enabled_folds(rules: RuleSet, config: QConfig) -> list[tree.Fold]:
    """The folds that may be applied: `only` speaks of rules that quantize, so it leaves folds alone."""
    return [f for f in rules.program.folds if f.name not in config.without]


def root_operators(rule: tree.Rule) -> set[str]:
    """The operators at the root of a rule's pattern."""
    return {c.root.op for entries in make_book([rule]).by_root.values() for c in entries}


Progress = Callable[[str, int, int | None], None]
"""Told how far a stage is: (stage, done, of how many; None where that is not known)."""


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""
