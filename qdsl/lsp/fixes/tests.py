"""A test for a rule without one: the graph of its match, on small inputs."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.facts import Fact, implied
from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem
from qdsl.lsp.pattern import Pattern
from qdsl.ops import axes_of, operand_layout

KERNEL = {"D": 3, "H": 3, "W": 3}
"""Sizes by axis letter of a kernel; all others, and those of other operands, are of eight."""
PLAIN = (1, 8, 8, 8)


def add_test(problem: Problem) -> Iterator[Fix]:
    """The test behind the rule, with the shapes that the layouts of its operands ask for."""
    item = problem.item
    if not isinstance(item, tree.Rule | tree.Fold) or not problem.help.startswith("add: test"):
        return
    pattern = Pattern(item)
    facts = implied(item.when, problem.document.program.defs)
    operands = pattern.boundaries[0].operands
    lines = []
    for name in operands:
        constant = Fact.call("constant", tree.NameTarget(item.span, name)) in facts
        lines.append(f"{name}: {'const ' if constant else ''}float32[{', '.join(map(str, _shape(name, pattern)))}]")
    each = item.each.operator_names[0] if item.each else ""
    lines += [_in_order(unparse(b), item.each.variable if item.each else None, each) for b in item.match]
    given = ("\n" + " " * 14).join(lines)
    source = problem.document.source
    end = source.line_starts[item.span.end_line - 1] + len(source.line(item.span.end_line))
    text = f'\n\ntest {item.name} "fires on its match"\n    given     {given}\n    expect    fires'
    yield Fix(f"Add a test of {item.name}", (Edit(end, end, text),))


def _shape(name: str, pattern: Pattern) -> tuple[int, ...]:
    for place in pattern.boundaries[0].places.get(name, ()):
        layout = operand_layout(place.operator, place.position, place.attrs)
        axes = [a for a in axes_of(layout or "") if a.isalpha()]
        if axes and "O" in axes:
            return tuple(KERNEL.get(a, 8) for a in axes)
        if axes and axes[0] == "N":
            return tuple(1 if a == "N" else 8 for a in axes)
        if axes:
            return (8,) * len(axes)
    return PLAIN


def _in_order(binding: str, variable: str | None, operator: str) -> str:
    """A binding of the match as one that is made: operands in the order written, the operator by its name."""
    text = binding.replace("{", "(").replace("}", ")")
    return text.replace(f"{variable}(", f"{operator}(") if variable else text
