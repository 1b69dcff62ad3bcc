"""The match of the item at the cursor, as far as it can be read while the rest of the item is being written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from qdsl.check.letters import letters
from qdsl.check.matched import Matched, read_match
from qdsl.check.types.boundary import Boundary, boundary_of
from qdsl.lang import tree
from qdsl.lang.failure import BRACKETS
from qdsl.lang.segments import starts_line
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import Word
from qdsl.lsp.cursor import opens_clause
from qdsl.lsp.texts import parse_once
from qdsl.ops import Operator, lookup

Patterned = tree.Rule | tree.Fold | tree.Skip


@dataclass(frozen=True)
class Pattern:
    """What the match of an item says; `item` is a fold with the bindings that could be read."""

    item: Patterned

    @cached_property
    def matched(self) -> Matched:
        return read_match(self.item)

    @cached_property
    def boundaries(self) -> list[Boundary]:
        if isinstance(self.item, tree.Skip):
            return []
        each = self.item.each
        operators = [n for n in each.operator_names if lookup(n)] if each else []
        return [boundary_of(self.item, operator) for operator in operators] or [boundary_of(self.item)]

    def operators(self, func: str) -> tuple[Operator, ...]:
        """The operators that a called name stands for."""
        return self.matched.operators(func)

    def makers(self, name: str) -> tuple[Operator, ...]:
        """The operators whose attributes a name has: those of the call that it is a result of."""
        capture = self.matched.captures.get(name)
        return self.operators(capture.call.func) if capture is not None and capture.call is not None else ()

    def letters(self, name: str | None = None) -> tuple[str, ...]:
        """The axis letters of a name; of None, those of everything in the match."""
        names = [name] if name else list(self.matched.captures)
        return tuple(dict.fromkeys(letter for n in names for letter in letters(self.boundaries, n)))


def pattern_of(words: Sequence[Word], text: str) -> Pattern:
    """The match of an item's words; bindings that cannot be read are left out."""
    bindings = [b for piece in _pieces(_clause(words, "match", text), text) for b in _read(piece, text)]
    span = _nowhere(text)
    name = words[1].text if len(words) > 1 else ""
    return Pattern(tree.Fold(span, name, span, _each(words, text), None, tuple(bindings), None, ()))


def locals_of(words: Sequence[Word], text: str, clause: str, finished: bool = False) -> list[str]:
    """The names that a clause of bindings binds, in order; without the last binding where only finished ones count."""
    found: dict[str, None] = {}
    pieces = list(_pieces(_clause(words, clause, text), text))
    for piece in pieces[:-1] if finished else pieces:
        for i, word in enumerate(piece):
            if word.kind == "EQUAL":
                break
            if word.kind not in ("COMMA", "SPREAD", "IGNORED") and (i == 0 or piece[i - 1].kind == "COMMA"):
                found[word.text] = None
    return list(found)


def inputs_of(words: Sequence[Word], text: str) -> list[str]:
    """The names that the `given` of a test declares or binds."""
    clause = _clause(words, "given", text)
    declared = [w.text for w, after in pairwise(clause) if after.kind == "COLON"]
    return [*dict.fromkeys([*declared, *(n for n in locals_of(words, text, "given") if n.isidentifier())])]


def _clause(words: Sequence[Word], clause: str, text: str) -> Sequence[Word]:
    """The words of a clause."""
    opened = [i for i in range(len(words)) if opens_clause(words, i, text)]
    for at, start in enumerate(opened):
        if words[start].text == clause:
            return words[start + 1 : opened[at + 1] if at + 1 < len(opened) else len(words)]
    return ()


def _pieces(words: Sequence[Word], text: str) -> Iterator[Sequence[Word]]:
    """The bindings of a clause: cut before targets that an `=` follows, outside brackets or at a line's beginning."""
    depth, cuts = 0, []
    for i, word in enumerate(words):
        fresh = i == 0 or words[i - 1].kind != "COMMA"
        if fresh and (depth == 0 or starts_line(words, i, text)) and _is_target_list(words, i):
            cuts.append(i)
            depth = 0
        depth += (word.kind in BRACKETS) - (word.kind in BRACKETS.values())
    yield from (words[a:b] for a, b in zip(cuts, [*cuts[1:], len(words)], strict=False))


def _is_target_list(words: Sequence[Word], i: int) -> bool:
    while i < len(words) and (words[i].text[0].isalpha() or words[i].text[0] == "_"):
        i += 1
        if i < len(words) and words[i].kind == "SPREAD":
            i += 1
        if i < len(words) and words[i].kind == "EQUAL":
            return True
        if i >= len(words) or words[i].kind != "COMMA":
            return False
        i += 1
    return False


def _read(words: Sequence[Word], text: str) -> tuple[tree.Binding, ...]:
    written = text[words[0].start : words[-1].end]
    parsed = parse_once(Source("", f"fold f match {written} rewrite f = f"))
    item = parsed.file.items[0] if parsed.file and parsed.file.items else None
    return item.match if isinstance(item, tree.Fold) and not parsed.diagnostics else ()


def _each(words: Sequence[Word], text: str) -> tree.Each | None:
    clause = _clause(words, "for", text)
    if len(clause) < 3 or clause[1].kind != "IN":
        return None
    listed = takewhile(lambda word: word.kind != "STRING", clause[2:])  # a doc string ends the list
    names = "".join(word.text for word in listed).split(",")
    return tree.Each(_nowhere(text), clause[0].text, tuple((name, _nowhere(text)) for name in names if name))


def _nowhere(text: str) -> Span:
    return Span(Source("", text), 0, 0)
