"""The types that the checker finds in a rule, by name and by place."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.check.types import infer_types
from qdsl.check.types.check import type_rule
from qdsl.check.types.scope import Scope
from qdsl.check.types.values import Meta, Type, Unknown
from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.lang.source import Span
from qdsl.ops import lookup


@dataclass(frozen=True)
class Typed:
    """A rule under the first operator that it is for."""

    scope: Scope
    operator: str | None
    """That operator, where the rule is for several."""
    expressions: dict[Span, str]
    """Of the realize clause."""

    def of_name(self, name: str) -> str | None:
        """The type of a capture as its mark gives it, or of a local of `realize`."""
        if self.scope.marks.is_marked(name):
            return self._text(self.scope.marks.type_of(name))
        return self.of_local(name)

    def of_local(self, name: str) -> str | None:
        """The type of what `realize` binds the name to."""
        return self._text(self.scope.locals[name]) if name in self.scope.locals else None

    def _text(self, value: Type) -> str | None:
        return None if isinstance(value, Unknown | Meta) else self.scope.findings.describe(value)


def typed(rule: tree.Rule, program: Program) -> Typed | None:
    """A rule with its types; None where its operators are unknown."""
    operators = [n for n in rule.each.operator_names if lookup(n)] if rule.each else [None]
    if not operators:
        return None
    scope = type_rule(rule, operators[0], program)
    return Typed(scope, operators[0], infer_types(rule, program))
