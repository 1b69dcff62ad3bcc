"""`qdsl test --mutate`: would anybody notice if a rule were wrong?

A mutant is killed when the checker reports an error that the original does not have, or when a test of the rule
fails. The checker is asked first, being quick; a test is run only where its graph comes out differently.
`# qdsl: equivalent <reason>` on the line of the change says why a mutant that survives means the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from qdsl.check import check
from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.lang.source import Source
from qdsl.match.book import make_book
from qdsl.ruletest.coverage import place
from qdsl.ruletest.mutants import Mutable, Mutant, mutants_of
from qdsl.ruletest.run import chosen_tests, run_test

if TYPE_CHECKING:
    from qdsl.ruleset import RuleSet

EQUIVALENT = re.compile(r"#\s*qdsl:\s*equivalent\b[ \t]*(.*)")


@dataclass(frozen=True)
class Survivor:
    """A mutant that nothing noticed."""

    mutant: Mutant
    explanation: str | None
    """What the file says about it, or None."""

    @property
    def line(self) -> str:
        said = f" (equivalent: {self.explanation})" if self.explanation else ""
        return f"{self.mutant.span}: survives: {self.mutant.original.name}: {self.mutant.change}{said}"


@dataclass(frozen=True)
class MutationReport:
    """What became of all mutants."""

    checked: int
    """Killed by the checker."""
    tested: int
    """Killed by a test."""
    survivors: tuple[Survivor, ...]
    untested: tuple[str, ...] = ()
    """Rules without a test: nothing was tried on them."""

    @property
    def unexplained(self) -> tuple[Survivor, ...]:
        return tuple(s for s in self.survivors if s.explanation is None)

    def summary(self) -> str:
        explained = len(self.survivors) - len(self.unexplained)
        total = self.checked + self.tested + len(self.survivors)
        line = (
            f"{total} mutants: {self.checked} killed by the checker, {self.tested} by tests, "
            f"{explained} explained, {len(self.unexplained)} survive"
        )
        return line + (f"; without tests: {', '.join(self.untested)}" if self.untested else "")

    def as_dict(self) -> dict[str, Any]:
        survivors = [
            {
                "rule": s.mutant.original.name,
                **place(s.mutant.span),
                "change": s.mutant.change,
                "equivalent": s.explanation,
            }
            for s in self.survivors
        ]
        counts = {"killed_by_checker": self.checked, "killed_by_tests": self.tested}
        return {**counts, "survivors": survivors, "untested": list(self.untested)}


def mutate(
    rules: RuleSet, pattern: str | None = None, told: Callable[[int, int], None] = lambda done, total: None
) -> MutationReport:
    """Breaks every rule and fold of the files that were asked for, one change at a time.

    `pattern` chooses tests as in `run_tests`: rules without a chosen test are left alone. The tests pass as they
    stand.
    """
    tests: dict[str, list[tree.Test]] = {}
    for test in chosen_tests(rules, pattern):
        tests.setdefault(test.rule, []).append(test)
    items = [i for i in rules.own.items if isinstance(i, tree.Rule | tree.Fold)]
    mutants = [
        (mutant, tests[item.name]) for item in items if item.name in tests for mutant in _all_mutants(item, rules)
    ]
    court = _Court(rules)
    checked = tested = 0
    survivors: list[Survivor] = []
    for number, (mutant, accusers) in enumerate(mutants):
        told(number, len(mutants))
        if court.checker_objects(mutant):
            checked += 1
        elif court.tests_object(mutant, accusers):
            tested += 1
        else:
            survivors.append(Survivor(mutant, explanation_of(mutant)))
    untested = [i.name for i in items if i.name not in tests] if pattern is None else []
    return MutationReport(checked, tested, tuple(survivors), tuple(untested))


def _all_mutants(item: tree.Rule | tree.Fold, rules: RuleSet) -> Iterator[Mutant]:
    """The mutants of an item, and of the defs of the same files that it alone is there for."""
    yield from mutants_of(item, rules.program.schemes)
    for name in sorted(called_by(item)):
        definition = rules.own.defs.get(name)
        if definition is not None and _first_caller(name, rules) is item:
            yield from mutants_of(definition, rules.program.schemes)


def called_by(item: tree.Node) -> set[str]:
    """Names that an item calls or looks up."""
    nodes = list(tree.walk(item))
    called = {n.func for n in nodes if isinstance(n, tree.Call)}
    return called | {
        n.args[0].id
        for n in nodes
        if isinstance(n, tree.Call) and n.func == "lookup" and n.args and isinstance(n.args[0], tree.Name)
    }


def _first_caller(name: str, rules: RuleSet) -> tree.Item | None:
    callers = (i for i in rules.own.items if isinstance(i, tree.Rule | tree.Fold) and name in called_by(i))
    return next(callers, None)


def explanation_of(mutant: Mutant) -> str | None:
    """What a comment `# qdsl: equivalent <reason>` on a line of the change says."""
    comments = _comments(mutant.span.source)
    lines = range(mutant.span.line, mutant.span.end_line + 1)
    return next((comments[n] for n in lines if n in comments), None)


@lru_cache(maxsize=64)
def _comments(source: Source) -> dict[int, str]:
    """The reasons by line number."""
    found = {}
    for number, line in enumerate(source.text.splitlines(), 1):
        said = EQUIVALENT.search(line)
        if said is not None:
            found[number] = said.group(1).strip() or "without a reason"
    return found


class _Court:
    """Who may object to a mutant: the checker, then the tests."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.before: dict[str, set[tuple[str, str]]] = {}

    def checker_objects(self, mutant: Mutant) -> bool:
        """Whether the checker finds an error that the original does not have. Only what can speak of the item is
        checked with it: schemes, defs, and rules with the same root."""
        name = mutant.original.name
        around = self._around(mutant.original)
        if name not in self.before:
            self.before[name] = _errors(Program(items=around))
        items = tuple(mutant.item if i is mutant.original else i for i in around)
        return bool(_errors(Program(items=items)) - self.before[name])

    def tests_object(self, mutant: Mutant, tests: list[tree.Test]) -> bool:
        """Whether one of the tests fails under the mutant."""
        items = tuple(mutant.item if i is mutant.original else i for i in self.rules.program.items)
        program = Program(self.rules.program.files, items, [], self.rules.program.sources)
        changed = replace(self.rules, program=program, own=program)
        return any(_fails(changed, test) for test in tests)

    def _around(self, item: Mutable) -> tuple[tree.Item, ...]:
        program = self.rules.program
        rules = [i for i in program.items if isinstance(i, tree.Rule | tree.Fold)]
        if isinstance(item, tree.Def):
            near = [i for i in rules if item.name in called_by(i)]
        else:
            near = [i for i in rules if i is item or (type(i) is type(item) and _roots(i) & _roots(item))]
        known = {id(i) for i in near}
        return tuple(i for i in program.items if isinstance(i, tree.Scheme | tree.Def) or id(i) in known)


def _fails(rules: RuleSet, test: tree.Test) -> bool:
    try:
        return not run_test(rules, test).passed
    except Exception:
        # A mutant may say anything, also what no pass was made for: then it did not go unnoticed.
        return True


@lru_cache(maxsize=4096)
def _roots(item: tree.Rule | tree.Fold) -> frozenset[str]:
    return frozenset(make_book([item]).by_root)


def _errors(program: Program) -> set[tuple[str, str]]:
    return {(d.code, d.message) for d in check(program) if d.is_error}
