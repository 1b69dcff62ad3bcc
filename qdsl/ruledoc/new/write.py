"""A new rule as text: found, tried and formatted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qdsl.errors import RuleError
from qdsl.lang.format import format_text
from qdsl.lang.grammar import reserved_words
from qdsl.ops import Operator, lookup, suggest
from qdsl.ruledoc.new.families import operator_data, sketch
from qdsl.ruledoc.new.sketch import Sketch
from qdsl.ruledoc.new.trial import trial

NO_RULE = {
    "quantize": "is what rules put where formats meet; none is written for it",
    "dequantize": "is what rules put where formats meet; none is written for it",
    "nn.attention_var_len": "has operands that a match cannot name",
}
"""Operators that no rule is made for, and why."""


@dataclass(frozen=True)
class NewRule:
    """A rule and its test."""

    rule: str
    op: str
    text: str
    """Both items, formatted."""
    has_test: bool
    """Whether a test could be made up."""


def new_rule(name: str, op: str) -> NewRule:
    """A rule for one operator, with a test of it.

    Raises RuleError for a name that no rule can have, an unknown operator, and one that reads nothing to be marked.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name == "_":
        raise RuleError(f"{name!r} cannot be the name of a rule: write letters, digits and _, beginning with a letter")
    if name in reserved_words():
        raise RuleError(f"{name!r} is a word of the language and cannot be the name of a rule")
    operator = lookup(op.removeprefix("relax."))
    if operator is None:
        raise RuleError(f"there is no operator {op}; {suggest(op) or '`qdsl ops` lists them'}")
    if operator.name in NO_RULE or not operator_data(operator):
        why = NO_RULE.get(operator.name, "reads no numbers that could be quantized, so it needs no rule")
        raise RuleError(f"{operator.name} {why}")
    lines = sketch(operator)
    test = trial(name, operator, lines)
    text = _rule_text(name, operator, lines) + ("\n\n" + test if test else "")
    formatted = format_text(text, f"rule {name}").text
    assert formatted is not None, text
    return NewRule(name, operator.name, formatted, test is not None)


def _rule_text(name: str, operator: Operator, lines: Sketch) -> str:
    doc = operator.doc.split(". ")[0].rstrip(".").replace('"', "'").split("\n")[0]
    parts = [f"rule {name}", f'"{doc}."' if doc else "", f"match {lines.target} = {lines.pattern}"]
    parts += [f"when {lines.guard}"] if lines.guard else []
    parts.append(f"annotate {' '.join(lines.marks)}")
    parts.append(f"realize {' '.join(lines.realize)}")
    return " ".join(part for part in parts if part)
