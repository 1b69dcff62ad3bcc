"""What is said of items by their names: duplicates (Q0202), unknown schemes (Q0206), tests of no rule (Q0201), rules
without a test (Q0407), schemes and defs that nobody uses (Q0410)."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.finding import error, meant, warning
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.nearest import nearest
from qdsl.lang.program import Program
from qdsl.lang.source import Span
from qdsl.ops import lookup

Declared = tree.Rule | tree.Fold | tree.Scheme | tree.Def


def check_duplicates(program: Program) -> Iterator[Diagnostic]:
    """Rules and folds share their names, since tests and reports speak of both; schemes and defs have their own."""
    first: dict[tuple[str, str], Declared] = {}
    for item in program.items:
        if not isinstance(item, Declared):
            continue
        kind = type(item).__name__.lower()
        space = "rule" if isinstance(item, tree.Rule | tree.Fold) else kind
        before = first.setdefault((space, item.name), item)
        if before is not item:
            text = f"the {kind} {item.name} is defined twice"
            others = [(before.name_span, f"first here, in {before.name_span.path}")]
            yield error("Q0202", text, item.name_span, "again", others=others, help="give one of them another name")
        elif isinstance(item, tree.Def):
            yield from _shadowing(item)


def _shadowing(item: tree.Def) -> Iterator[Diagnostic]:
    known = {
        "a guard": item.name in GUARDS,
        "a builder": item.name in BUILDERS,
        "an operator": lookup(item.name) is not None,
    }
    kind = next((k for k, is_one in known.items() if is_one), None)
    if kind is not None:
        text = f"{item.name} is {kind} already"
        yield error("Q0202", text, item.name_span, help="give the def another name")


def specs_of(item: tree.Item) -> Iterator[tree.SchemeSpec]:
    """The specs that name a scheme."""
    marks: tuple[tree.Node, ...] = ()
    if isinstance(item, tree.Rule):
        marks = item.annotate
    elif isinstance(item, tree.Test):
        marks = item.expect
    for mark in marks:
        spec = getattr(mark, "spec", None)
        if isinstance(spec, tree.SchemeSpec):
            yield spec


def check_schemes(program: Program, item: tree.Item) -> Iterator[Diagnostic]:
    """Q0206: marks that name a scheme which is not there."""
    for spec in specs_of(item):
        if spec.scheme in program.schemes or spec.scheme in program.unread:
            continue
        help = meant(spec.scheme, [*program.schemes, "any", "float", "fixed"])
        yield error("Q0206", f"there is no scheme {spec.scheme}", spec.scheme_span, help=help)


def check_tests(program: Program) -> Iterator[Diagnostic]:
    """Tests name a rule or fold; every rule has a test. One of a misspelt name counts for the rule that was meant."""
    named = {r.name for r in program.rules} | {f.name for f in program.folds}
    tested: set[str] = set()
    titles: dict[tuple[str, str], Span] = {}
    for test in program.tests:
        tested.add(test.rule if test.rule in named else nearest(test.rule, named) or test.rule)
        if test.rule not in named and test.rule not in program.unread:
            text = f"there is no rule or fold {test.rule}"
            yield error("Q0201", text, test.rule_span, help=meant(test.rule, named) or None)
        key = (test.rule, test.title)
        if key in titles:
            text = f'{test.rule} has two tests "{test.title}"'
            others = [(titles[key], "first here")]
            yield error("Q0202", text, test.rule_span, others=others, help="give one of them another title")
        titles.setdefault(key, test.rule_span)
    reported: set[str] = set()
    for rule in program.rules:
        if rule.name in tested or rule.name in reported or rule.name in program.unread:
            continue
        reported.add(rule.name)
        help = f'add: test {rule.name} "..." given ... expect fires'
        yield warning("Q0407", f"the rule {rule.name} has no test", rule.name_span, help=help)


def check_unused(program: Program) -> Iterator[Diagnostic]:
    """Q0410: a scheme or def that nothing uses, in a file that has rules of its own.

    A file of schemes and defs alone is there for other files to use, and not all of them use everything.
    """
    if any(d.is_error for d in program.diagnostics):
        return
    schemes = {
        s.scheme if s.scheme in program.schemes else nearest(s.scheme, program.schemes)
        for i in program.items
        for s in specs_of(i)
    }
    functions = _functions(program)
    for file in program.files:
        if not any(isinstance(i, tree.Rule | tree.Fold | tree.Skip) for i in file.items):
            continue
        for item in file.items:
            used = schemes if isinstance(item, tree.Scheme) else functions if isinstance(item, tree.Def) else None
            if used is None or not isinstance(item, tree.Scheme | tree.Def) or item.name in used:
                continue
            kind = type(item).__name__.lower()
            yield warning(
                "Q0410", f"nothing uses the {kind} {item.name}", item.name_span, help=f"delete the {kind}, or use it"
            )


def _functions(program: Program) -> set[str]:
    """Names that are called, or handed to lookup, outside the def of that name; misspelt ones as they were meant."""
    found: set[str] = set()
    for item in program.items:
        own = item.name if isinstance(item, tree.Def) else None
        for node in tree.walk(item):
            name = node.func if isinstance(node, tree.Call) else node.id if isinstance(node, tree.Name) else None
            if name is None or name == own:
                continue
            found.add(name)
            if isinstance(node, tree.Call) and name not in program.defs and lookup(name) is None:
                near = nearest(name, program.defs)
                found.update({near} if near else ())
    return found
