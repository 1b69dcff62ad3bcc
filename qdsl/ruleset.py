"""A rule set: rule files read together, to be checked, tested and used.

A user's own files stand before the stock rules. A rule, fold, scheme or def of theirs takes the place of the stock
one of the same name, and their rules are tried first, so that a file with one rule changes one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from qdsl.errors import RuleError
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program, Reader, load_program
from qdsl.lang.render import render
from qdsl.lang.stock import stock_paths

if TYPE_CHECKING:
    from qdsl.ruletest.coverage import Coverage
    from qdsl.ruletest.run import TestReport

Named = tree.Scheme | tree.Def | tree.Fold | tree.Rule


@dataclass(frozen=True)
class RuleSet:
    """Rules ready to be used. `program` is everything; `own` is what was asked for, without the stock rules behind
    it."""

    program: Program
    own: Program
    later: frozenset[str] = frozenset()
    """Names of rules that are tried after all others."""

    @property
    def paths(self) -> list[str]:
        """The files that were read, the stock rules' included where they stand behind."""
        return list(self.program.sources)

    def check(self) -> list[Diagnostic]:
        """All findings about the files that were asked for, in the order of their places."""
        from qdsl.check import check

        mine = set(self.own.sources)
        found = [d for d in check(self.program) if d.primary.span.path in mine and not _between_layers(d, mine)]
        return list(dict.fromkeys([*self.own.diagnostics, *found]))

    def test(self, pattern: str | None = None, coverage: Coverage | None = None) -> TestReport:
        """Runs the `test` items of the files that were asked for.

        Args:
            pattern: a regular expression on rule and title; RuleError where it is none.
            coverage: is told what the tests reached; `coverage.of(rules)` is the report of it.
        """
        from qdsl.ruletest.run import run_tests

        return run_tests(self, pattern, coverage)


def load_rules(*paths: str | Path, stock: bool = True) -> RuleSet:
    """The rule set of some files and folders, before the stock rules; without paths, the stock rules alone.

    Raises RuleError where a file cannot be read or has a syntax error. `RuleSet.check` says what else is wrong.
    """
    rules = read_rules(*paths, stock=stock)
    if rules.own.diagnostics:
        raise RuleError("these rule files cannot be read:\n\n" + render(rules.own.diagnostics))
    return rules


def read_rules(*paths: str | Path, stock: bool = True) -> RuleSet:
    """As load_rules, with what cannot be read among the findings instead of raised."""
    if not paths:
        program = load_program(stock_paths())
        return RuleSet(program, program)
    own = load_program(_files(paths))
    return with_stock(own) if stock else RuleSet(own, own)


def with_stock(own: Program, reader: Reader | None = None) -> RuleSet:
    """A program with the stock rules behind it."""
    behind = load_program([p for p in stock_paths() if not _is_among(p, own)], reader or Reader())
    taken = {(type(i), i.name) for i in own.items if isinstance(i, Named)}
    kept = tuple(i for i in behind.items if not (isinstance(i, Named) and (type(i), i.name) in taken))
    kept = tuple(i for i in kept if not isinstance(i, tree.Test))
    merged = Program(
        files=own.files + behind.files,
        items=own.items + kept,
        diagnostics=list(own.diagnostics),
        sources={**own.sources, **behind.sources},
        unread=own.unread,
    )
    return RuleSet(merged, own, frozenset(i.name for i in kept if isinstance(i, tree.Rule)))


def checked(rules: RuleSet) -> RuleSet:
    """The rules, if the checker has no error to report. Raises RuleError with all of its messages."""
    errors = [d for d in rules.check() if d.is_error]
    if errors:
        raise RuleError("these rules do not pass the checker:\n\n" + render(errors))
    return rules


def chosen(rules: RuleSet | None) -> RuleSet:
    """The rules to be used, checked: those given, else the stock rules, which are read once a process."""
    return _stock() if rules is None else checked(rules)


@cache
def _stock() -> RuleSet:
    return checked(load_rules())


def _files(paths: Sequence[str | Path]) -> list[Path]:
    """The rule files that paths name; a folder stands for those in it."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.glob("*.qrule")) if path.is_dir() and any(path.glob("*.qrule")) else [path]
    return found


def _is_among(path: Path, program: Program) -> bool:
    return any(Path(source).resolve() == path.resolve() for source in program.sources)


def _between_layers(finding: Diagnostic, mine: set[str]) -> bool:
    """Whether a finding only says that a user's rule meets a stock one: theirs goes first, by design."""
    return finding.code == "Q0403" and any(label.span.path not in mine for label in finding.secondary)
