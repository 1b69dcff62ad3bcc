"""Rule text in the place of other rule text: `write centered(x)`, `write y as acc[C] = x.scale * w.scale`.

What the help line shows is read as an expression, a mark, a binding, a format or an argument, and put where one of its
kind stands: first where the finding points, then around it, then where its labels point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from qdsl.check.types.boundary import as_call
from qdsl.lang import tree
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import tokenize
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem
from qdsl.lsp.texts import parse_once

LEAD = re.compile(
    r"(?:^|: |, |or |and )(?:write |for example |name the tensors?(?: you want)?: |take it apart first: "
    r"|give them one scale: |mark \w+ on that scale, )"
)
ENDS = (": ", ", or ", ", with ", " or ", " and ", ", ")
FRAMES = {
    "expression": "def f() = {}",
    "argument": "def f() = f({})",
    "mark": "rule r match y = f(x) annotate {}",
    "spec": "rule r match y = f(x) annotate y as {}",
    "binding": "fold f match {} rewrite f = f",
}
UNFIT = ("Q0312",)
"""Codes whose help lines show a form, and not what to write here."""


def write_code(problem: Problem) -> Iterator[Fix]:
    """Every piece of rule text in a help line, at every place where it may have been meant."""
    if problem.item is None or problem.finding.code in UNFIT:
        return
    for text in pieces(problem.help):
        for kind, edits in PLACES.items():
            if _reads_as(text, kind):
                yield from (Fix(f"Write {text}", edit) for edit in edits(problem, text))
    yield from _together(problem)


def pieces(help_: str) -> Iterator[str]:
    """The texts that a help line tells to write: each up to a comma, a colon, `or` or `and` outside brackets."""
    lead = LEAD.search(help_)
    while lead is not None:
        rest = help_[lead.end() :].removeprefix("write ")
        cut = _end(rest)
        yield rest[:cut].strip("` ")
        # `write weight[O] or weight[I]` goes on without another `write`.
        joint = next((e for e in (", or ", " or ", " and ", ", ") if rest.startswith(e, cut)), "")
        help_ = f"write {rest[cut + len(joint) :].removeprefix('write ')}" if joint else rest[cut:]
        lead = LEAD.match(help_) if joint else LEAD.search(help_)


def _end(text: str) -> int:
    """Where a piece ends: at the first joint before which something can be read; a binding has commas of its own."""
    if _reads_as(text, "binding"):
        return len(text)
    depth = 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(ENDS, i) and any(_reads_as(text[:i], kind) for kind in FRAMES):
            return i
    return len(text)


def _reads_as(text: str, kind: str) -> bool:
    source = Source("", FRAMES[kind].format(text))
    parsed = parse_once(source)
    return not parsed.diagnostics and parsed.file is not None and len(parsed.file.items) == 1


# ---- places


def _expression(problem: Problem, text: str) -> Iterator[tuple[Edit, ...]]:
    """Where the finding points, around it, and where its labels point; what is replaced has to be like it."""
    around = [n for n in problem.around() if _is_expression(n)]
    parent = next((n for n in around if n.span != problem.span and isinstance(n, tree.Call | tree.Binary)), None)
    places = [problem.span, *(n.span for n in around if n is parent or _alike(n.span.text, text))]
    labels = [label.span for label in problem.finding.secondary if label.span.path == problem.document.path]
    places += [span for span in labels if _alike(span.text, text)]
    for node in tree.walk(parent) if parent is not None else ():
        if isinstance(node, tree.Name) and node.id in _words(text):
            places.append(node.span)
    yield from (problem.replace(text, span) for span in dict.fromkeys(places))


def _is_expression(node: tree.Node) -> bool:
    return isinstance(node, tree.Call | tree.Binary | tree.Unary | tree.Field | tree.Along | tree.Name | tree.Number)


def _alike(old: str, new: str) -> bool:
    """Whether one could have become the other: it is a part of it, or all that it speaks of is in it."""
    return "".join(old.split()) in "".join(new.split()) or _words(old) <= _words(new)


def _words(text: str) -> set[str]:
    return {word.text for word in tokenize(Source("", text)).words if word.text.isidentifier()}


def _argument(problem: Problem, text: str) -> Iterator[tuple[Edit, ...]]:
    """A keyword of its name replaced, or added to the call."""
    name = text.split("=", 1)[0].strip()
    if "=" not in text or not name.isidentifier():
        return
    for node in problem.around():
        if isinstance(node, tree.Keyword) and node.name == name:
            yield problem.replace(text, node.span)
        elif isinstance(node, tree.Call):
            old = next((k for k in node.keywords if k.name == name), None)
            end = node.span.end - 1
            yield problem.replace(text, old.span) if old else (Edit(end, end, f", {text}" if node.args else text),)
            return


def _mark(problem: Problem, text: str) -> Iterator[tuple[Edit, ...]]:
    """The mark of the same value replaced."""
    if not isinstance(problem.item, tree.Rule):
        return
    first = next((w.text for w in tokenize(Source("", text)).words if w.text != "share"), "")
    for mark in problem.item.annotate:
        if [t.id for t in mark.targets] == [first]:
            yield problem.replace(text, mark.span)


def _spec(problem: Problem, text: str) -> Iterator[tuple[Edit, ...]]:
    spec = problem.nearest(tree.SchemeSpec)
    if isinstance(spec, tree.SchemeSpec) and text.startswith(spec.scheme):
        scale = "" if spec.scale is None or "=" in text else f" = {spec.scale.span.text}"
        yield problem.replace(text + scale, spec.span)


def _binding(problem: Problem, text: str) -> Iterator[tuple[Edit, ...]]:
    """The binding around the finding, or the one that a label points at."""
    name = problem.span.text
    if text.startswith("y") and name.isidentifier() and problem.finding.code == "Q0302":
        text = name + text[1:]  # the help line says y, whatever the name is
    for span in (problem.span, *(label.span for label in problem.finding.secondary)):
        node = next((n for n in problem.around(span) if isinstance(n, tree.Binding)), None)
        if isinstance(node, tree.Binding) and "".join(node.value.span.text.split()) in "".join(text.split()):
            yield problem.replace(text, node.span)


PLACES: dict[str, Callable[[Problem, str], Iterator[tuple[Edit, ...]]]] = {
    "expression": _expression,
    "argument": _argument,
    "mark": _mark,
    "spec": _spec,
    "binding": _binding,
}
"""What a text is read as, and the places where one of that kind may go."""


def _together(problem: Problem) -> Iterator[Fix]:
    """`write level(low, x) and level(high, x)`: each of them where what it wraps stands."""
    texts = list(pieces(problem.help))
    calls = (c for n in problem.around() if (c := as_call(n)) is not None)
    for call in calls if len(texts) > 1 else ():
        edits = []
        for text in texts:
            wrapped = [a.span for a in call.positional if _is_wrapped(a.span, text)]
            edits += [Edit.of(span, text) for span in wrapped]
        if len(edits) == len(texts):
            yield Fix(f"Write {' and '.join(texts)}", tuple(edits))


def _is_wrapped(span: Span, text: str) -> bool:
    inner = text[text.find("(") + 1 : -1]
    return "".join(span.text.split()) in ("".join(inner.split()), "".join(inner.split(",")[0].split()))
