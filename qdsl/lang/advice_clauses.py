"""Mistakes with clauses: out of order, twice, of another item, or missing."""

from __future__ import annotations

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.expected import CLAUSE_KEYWORDS, terminal_of
from qdsl.lang.failure import Failure
from qdsl.lang.tokens import Word

CLAUSES = {
    "rule": ("for", "overrides", "match", "when", "annotate", "realize"),
    "fold": ("for", "match", "when", "rewrite"),
    "skip": ("when", "because"),
    "test": ("given", "expect"),
}
"""The clauses of each item, in the order they stand in."""

REQUIRED = {
    "rule": ("match", "annotate"),
    "fold": ("match", "rewrite"),
    "skip": ("because",),
    "test": ("given", "expect"),
}


def clause_out_of_place(failure: Failure) -> Diagnostic | None:
    """A clause keyword that cannot come here."""
    word, item = failure.word, failure.words[0].text
    if word is None or item not in CLAUSES or word.text not in CLAUSE_KEYWORDS or failure.wants_expression:
        return None
    order, keyword = CLAUSES[item], word.text
    if keyword in ("as", "share", "like", "in"):
        return None
    before = {w.text: w for w in failure.words[: failure.index] if w.text in order and w.kind == terminal_of(w.text)}
    here = Label(failure.span, "")
    previous = failure.at(-1)
    if keyword in ("for", "overrides") and not before.keys() & {"match"} and previous and previous.kind == "STRING":
        doc = Label(failure.span_of(previous), "the documentation")
        return _error(f"`{keyword}` stands before the documentation", here, "move the string behind it", (doc,))
    if keyword not in order:
        return _error(f"a {item} has no `{keyword}` clause", here, f"its clauses are {', '.join(order)}")
    if keyword in before:
        help_ = "join the conditions with `and`" if keyword == "when" else "put everything into one clause"
        return _error(f"a second `{keyword}` clause", here, help_, (_first(failure, before[keyword]),))
    later = [w for w in order[order.index(keyword) + 1 :] if w in before]
    if later:
        help_ = f"the clauses of a {item} stand in this order: {', '.join(order)}"
        return _error(f"`{keyword}` comes before `{later[0]}`", here, help_, (_first(failure, before[later[0]]),))
    return _missing(failure, [c for c in REQUIRED[item] if c not in before and order.index(c) < order.index(keyword)])


def clause_missing(failure: Failure) -> Diagnostic | None:
    """An item that ends before it has all its clauses."""
    item = failure.words[0].text
    if failure.word is not None or item not in CLAUSES or failure.wants_expression:
        return None
    return _missing(failure, [c for c in REQUIRED[item] if terminal_of(c) in failure.accepted])


HELP = {
    "match": "say which operators it is for: match y = nn.relu(x)",
    "annotate": "say in which format each operand is read and the result is produced: annotate x as act",
    "rewrite": "say what stands in the place of the match: rewrite y = ...",
    "because": 'say why: because "..."',
    "given": "say on which graph: given x: float32[1, 8] ...",
    "expect": "say what is to happen: expect fires",
}


def _missing(failure: Failure, clauses: list[str]) -> Diagnostic | None:
    if not clauses or terminal_of(clauses[0]) not in failure.accepted:
        return None
    item = failure.words[0]
    name = f"{item.text} {failure.words[1].text}" if item.text in ("rule", "fold") else item.text
    label = Label(failure.span, f"`{clauses[0]}` is expected here")
    opening = (Label(failure.span_of(item), "begins here"),) if failure.word is None else ()
    return _error(f"`{name}` has no `{clauses[0]}` clause", label, HELP[clauses[0]], opening)


def _first(failure: Failure, word: Word) -> Label:
    return Label(failure.span_of(word), f"`{word.text}` stands here")


def _error(message: str, label: Label, help_: str, secondary: tuple[Label, ...] = ()) -> Diagnostic:
    return Diagnostic("Q0001", "error", message, label, secondary, help_)
