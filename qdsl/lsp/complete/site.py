"""What proposals are made from: the cursor, the match of its item, and the names that all files share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from qdsl.lang import tree
from qdsl.lang.program import Program
from qdsl.lang.unparse import unparse
from qdsl.lsp.cursor import Cursor, dotted_before
from qdsl.lsp.pattern import Pattern, inputs_of, locals_of, pattern_of
from qdsl.lsp.resolve import global_item


@dataclass(frozen=True)
class Site:
    """A place to complete."""

    cursor: Cursor
    program: Program

    @cached_property
    def pattern(self) -> Pattern:
        """The match of the item; of a test that of its rule."""
        if self.cursor.kind == "test":
            rule = self.rule_under_test
            return Pattern(rule) if rule is not None else pattern_of((), "")
        return pattern_of(self.cursor.segment, self.cursor.document.text)

    @cached_property
    def rule_under_test(self) -> tree.Rule | tree.Fold | None:
        words = self.cursor.segment
        found = global_item("rule", words[1].text, self.program) if len(words) > 1 else None
        return found if isinstance(found, tree.Rule | tree.Fold) else None

    @cached_property
    def values(self) -> dict[str, str]:
        """The names in sight that stand for values, each with what it is."""
        cursor, text = self.cursor, self.cursor.document.text
        if cursor.kind == "test" and cursor.clause == "given":
            return dict.fromkeys(inputs_of(cursor.segment, text), "given")
        if cursor.kind == "def":
            return dict.fromkeys(self.parameters, "parameter")
        found = {c.name: self._described(c.name) for c in self.pattern.matched.captures.values()}
        if cursor.clause == "match":
            found |= dict.fromkeys((n for n in _written(cursor) if n not in found), "captured")
        elif cursor.clause in ("realize", "rewrite"):
            results = set(self.pattern.matched.results)
            bound = locals_of(cursor.before, text, cursor.clause, finished=True)
            found |= dict.fromkeys((n for n in bound if n not in found), "bound in this clause")
            found = {n: d for n, d in found.items() if n not in results or n in bound}
        return found

    @cached_property
    def parameters(self) -> list[str]:
        """Those of the def at the cursor."""
        words = self.cursor.segment
        ends = [i for i, w in enumerate(words) if w.kind == "RPAR"]
        return [w.text for w in words[3 : ends[0] if ends else 3] if w.kind != "COMMA"]

    @property
    def each(self) -> str | None:
        """The name after `for`."""
        each = getattr(self.pattern.item, "each", None)
        return each.variable if each and self.cursor.kind != "test" else None

    def _described(self, name: str) -> str:
        capture = self.pattern.matched.captures[name]
        if capture.call is not None:
            return f"result of {capture.call.func}"
        places = [p for b in self.pattern.boundaries for p in b.places.get(name, ())]
        for place in places:
            if isinstance(place.position, int):
                return f"{place.operator.operands[place.position].name} of {unparse(place.call)}"
        return capture.kind


def _written(cursor: Cursor) -> list[str]:
    """Names that stand as arguments in what is written of the clause."""
    words = cursor.clause_words
    found = []
    for i, word in enumerate(words):
        start, name = dotted_before(words, i + 1)
        after = words[i + 1].kind if i + 1 < len(words) else ""
        if name == word.text and start == i and after in ("COMMA", "RPAR", "RBRACE", "RSQB") and cursor.opened:
            found.append(name)
    return found
