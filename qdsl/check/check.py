"""Checking a program: every family of findings, each mistake said once, in the order of the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from qdsl.check.allow import without_allowed
from qdsl.check.cascade import without_consequences
from qdsl.check.instances import Instance, instances
from qdsl.check.item import check_clauses, check_definition, check_given, check_pattern
from qdsl.check.matched import Matched, read_match
from qdsl.check.never import check_guard_can_hold
from qdsl.check.overlap import Ruleset, check_overlaps
from qdsl.check.program import check_duplicates, check_tests, check_unused
from qdsl.check.recursion import check_defs, check_folds
from qdsl.check.types import check_types
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import Program


def check(program: Program) -> list[Diagnostic]:
    """What is wrong with a program, syntax included, sorted by file and place.

    Rules whose match is unsound are left out of the comparison with others, so that one mistake is one finding.
    """
    found: list[Diagnostic] = [*program.diagnostics, *check_duplicates(program), *check_defs(program)]
    sound: list[Matched] = []
    matches: dict[str, Matched] = {}
    for item in program.items:
        if isinstance(item, tree.Def):
            found += check_definition(item, program)
        elif isinstance(item, tree.Rule | tree.Fold | tree.Skip):
            matched = read_match(item)
            if not isinstance(item, tree.Skip):
                matches.setdefault(item.name, matched)
            about = [*check_pattern(matched, program), *check_clauses(matched, program)]
            found += about
            if is_first(matched, matches) and not any(is_in_match(d, matched) for d in about):
                sound.append(matched)
    for test in program.tests:
        found += check_given(test, program, matches.get(test.rule))
    found += check_tests(program)
    found += check_unused(program)
    found += check_types(program)
    found += compare(sound, program)
    return in_order(without_allowed(without_consequences(found, program), program), program)


def is_first(matched: Matched, matches: Mapping[str, Matched]) -> bool:
    """Whether no item before it has the same name."""
    return isinstance(matched.item, tree.Skip) or matches[matched.item.name] is matched


def is_in_match(finding: Diagnostic, matched: Matched) -> bool:
    """Whether a finding leaves open what the match or the guard is."""
    ends = [b.span.end for b in matched.bindings]
    if matched.item.when is not None:
        ends.append(matched.item.when.span.end)
    return finding.is_error and finding.code < "Q0300" and finding.primary.span.start < max(ends, default=0)


def compare(sound: Iterable[Matched], program: Program) -> list[Diagnostic]:
    """Rules with rules, and folds with folds."""
    found: list[Diagnostic] = []
    rules: list[Instance] = []
    folds: list[Instance] = []
    for number, matched in enumerate(sound):
        made = list(instances(matched, f"{number}.", program.defs))
        found += check_guard_can_hold(matched, made, program.defs)
        (rules if isinstance(matched.item, tree.Rule) else folds).extend(made)
    found += check_overlaps(Ruleset(program, rules))
    found += check_folds(folds)
    return found


def in_order(found: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """By the order of the files, then by place; equal findings once."""
    files = {path: index for index, path in enumerate(program.sources)}
    unique = dict.fromkeys(found)

    def place(finding: Diagnostic) -> tuple[int, int, str]:
        span = finding.primary.span
        return files.get(span.path, len(files)), span.start, finding.code

    return sorted(unique, key=place)
