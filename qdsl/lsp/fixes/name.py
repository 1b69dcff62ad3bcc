"""Another name or sign in the place of a wrong one: `did you mean gamma?`, ``write `and` ``, `write _ in its place`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lsp.fixes.fix import Fix, Problem

MEANT = re.compile(r"(?:did you mean |in Relax it is )`?([^\s?`]+?)`?(?:\?|$| \()")
SIGN = re.compile(r"(?:write|with) `([^`]+)`")
INSTEAD = re.compile(r"write (\S+) instead of ([^\s:]+)")
PLACE = re.compile(r"write (_\w*) (?:in its place|if it only)")
ONE_OF = re.compile(r"(?:write one of|axes are|known here:|the dtypes are) ([\w, ]+)")
MOST_CHOICES = 4
BOUND = re.compile(r"refuse more than (\d+)$")
EXAMPLE = re.compile(r"for example \w+ ?==? ?(.+)$")
ASK = re.compile(r"ask (\w+\(.*?\)) in the guard")


def write_name(problem: Problem) -> Iterator[Fix]:
    """Replacements of the word or sign that a finding points at."""
    yield from _meant(problem)
    for name in PLACE.findall(problem.help):
        yield Fix(f"Write {name} for what is not used", problem.replace(name))
    for listed in ONE_OF.findall(problem.help):
        for name in listed.split(", ")[:MOST_CHOICES] if problem.span.text.isidentifier() else ():
            yield Fix(f"Change to {name}", problem.replace(name), reveals=True)
    for number in BOUND.findall(problem.help):
        yield Fix(f"Allow at most {number}", problem.replace(re.sub(r"\d+$", number, problem.span.text)))
    for value in EXAMPLE.findall(problem.help) if problem.nearest(tree.Keyword) is None else ():
        yield Fix(f"Write {value}", problem.replace(value))
    for text in ASK.findall(problem.help):
        yield Fix(f"Ask {text}", problem.replace(text))
    for text, wrong in INSTEAD.findall(problem.help):
        yield Fix(f"Write {text} instead of {wrong}", problem.replace(text), reveals=True)
    if problem.finding.code == "Q0001":
        for text in SIGN.findall(problem.help):
            yield Fix(f"Write {text}", problem.replace(text), reveals=True)
        quoted = re.match(r'write (".*")$', problem.help)
        if quoted:
            yield Fix(f"Write {quoted[1]}", problem.replace(quoted[1]), reveals=True)
    for label in problem.finding.secondary:
        # The clause defines another name than the match's: Q0401.
        if label.message == "this is defined instead":
            name = problem.span.text
            yield Fix(f"Bind {name} instead of {label.span.text}", problem.replace(name, label.span), reveals=True)


def _meant(problem: Problem) -> Iterator[Fix]:
    for name in (*MEANT.findall(problem.help), *MEANT.findall(problem.finding.message)):
        place = _word(problem)
        if problem.finding.code == "Q0002":
            folder = os.path.dirname(problem.document.path)
            path = os.path.relpath(os.path.join(folder, os.path.basename(name)), folder)
            yield Fix(f"Use {path}", problem.replace(f'"{path}"', place))
        else:
            yield Fix(f"Change to {name}", problem.replace(name, place), reveals=True)


def _word(problem: Problem) -> Span:
    """The one word that is wrong in what a finding points at."""
    words = problem.document.words_in(problem.span)
    node = problem.nearest(tree.Use, tree.Field, tree.Keyword)
    if isinstance(node, tree.Use):
        return problem.document.word_span(problem.document.words_in(node.span)[-1])
    if node is None or node.span != problem.span or not words or problem.finding.code != "Q0103":
        return problem.span
    return problem.document.word_span(words[-1] if isinstance(node, tree.Field) else words[0])
