"""Writes docs/operators.md: which rules take each operator into integers, from the stock rules and their tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from qdsl.check.matched import calls_of
from qdsl.lang import tree
from qdsl.ops import lookup, names, operand_layout
from qdsl.ruledoc.model import RuleDoc, document
from qdsl.ruleset import RuleSet, load_rules

PAGE = Path(__file__).parents[1] / "operators.md"
PREFACE = """\
# Operators

What the stock rules do with each operator. A rule stands where it is tried: at the last operator of its match. Where no
rule fits, an operator stays in float, and `qdsl plan` says so of every operator of a model. This page is written by
`make docs`.

*Tested* counts the tests in the rule files that build the operator and expect the rule to be applied. Layouts are the
letters that a rule may name an axis by; the attributes of a call may say another order, such as NHWC. `qdsl ops NAME`
shows operands and attributes.

| operator | rules | layouts | tested |
|---|---|---|---|
"""
FOLDS = """
## Folds

Folds rewrite float operators before any format is chosen.

| fold | matches | what it does | tested |
|---|---|---|---|
"""
FLOAT = """
## No stock rule

{count} more operators of Relax can be written in a rule file. In a model they compute in float.

{names}
"""


def page() -> str:
    """docs/operators.md as it should be."""
    rules = load_rules()
    docs = document(rules)
    return "".join(_lines(docs, rules))


def _lines(docs: Sequence[RuleDoc], rules: RuleSet) -> Iterator[str]:
    yield PREFACE
    by_root: dict[str, list[RuleDoc]] = {}
    for doc in docs:
        for root in doc.roots if doc.kind == "rule" else ():
            by_root.setdefault(root, []).append(doc)
    for name in sorted(by_root):
        found = by_root[name]
        tested = sum(_tests(rules, doc.name, name) for doc in found)
        links = ", ".join(f"[{doc.name}]({_address(doc)})" for doc in found)
        yield f"| `{name}` | {links} | {_layouts(name)} | {tested} |\n"
    for name, found in sorted(_inner(docs, by_root).items()):
        links = ", ".join(f"inside [{doc.name}]({_address(doc)})" for doc in found)
        yield f"| `{name}` | {links} | {_layouts(name)} | {sum(_tests(rules, d.name, name) for d in found)} |\n"
    yield FOLDS
    for doc in docs:
        if doc.kind == "fold":
            shown = ", ".join(f"`{name}`" for name in sorted(set(doc.operators)))
            tested = _tests(rules, doc.name)
            yield f"| [{doc.name}]({_address(doc)}) | {shown} | {_cell(doc.doc)} | {tested} |\n"
    matched = {name for doc in docs for name in (*doc.operators, *doc.roots)}
    left = [name for name in names() if name not in matched]
    yield FLOAT.format(count=len(left), names=", ".join(f"`{name}`" for name in left))


def _inner(docs: Sequence[RuleDoc], by_root: Mapping[str, Sequence[RuleDoc]]) -> dict[str, list[RuleDoc]]:
    """The rules that match an operator inside, for operators at which no rule is tried."""
    found: dict[str, list[RuleDoc]] = {}
    for doc in docs:
        for name in sorted(set(doc.operators)) if doc.kind == "rule" else ():
            if name not in by_root:
                found.setdefault(name, []).append(doc)
    return found


def _address(doc: RuleDoc) -> str:
    return f"../rules/{Path(doc.file).name}"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("*", "\\*")


def _layouts(name: str) -> str:
    operator = lookup(name)
    assert operator is not None
    places: list[int | str] = [*range(len(operator.operands)), "result"]
    said = [operand_layout(operator, place) for place in places]
    shown = [layout.replace("*", "..").strip(".") for layout in said if layout]
    return ", ".join(f"`{layout}`" for layout in dict.fromkeys(shown))


def _tests(rules: RuleSet, rule: str, operator: str | None = None) -> int:
    """How many tests expect a rule to be applied to a graph that has the operator."""
    return sum(
        test.rule == rule
        and any(isinstance(outcome, tree.Fires) for outcome in test.expect)
        and (operator is None or operator in {call.func for part in test.given for call in calls_of(part)})
        for test in rules.own.tests
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
