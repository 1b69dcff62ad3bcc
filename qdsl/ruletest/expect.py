"""The lines of `expect` that speak of what was decided: one function each, yielding what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.match.facts import axis_of_letter
from qdsl.passes.plan import Firing
from qdsl.ruletest.outcome import Outcome


def judge_skips(expected: tree.Skips, item: tree.Rule | tree.Fold, outcome: Outcome) -> Iterator[str]:
    """`skips "term"`: the rule does not fire, and that very guard term or mark (`x as acc`) is in the way."""
    if outcome.fired(item):
        yield f"{item.name} fired, and `{expected.term}` was expected to fail"
        return
    wanted = _plain(expected.term)
    refused = outcome.refusals(item)
    if not refused:
        yield f"{item.name} was not refused by `{expected.term}`: {outcome.why_not(item)}"
    elif not any(_plain(a.term or a.mark) == wanted for a in refused):
        seen = ", ".join(dict.fromkeys(a.reason for a in refused))
        yield f"{item.name} was refused, but not by `{expected.term}`: {seen}"


def _plain(term: str) -> str:
    """A term as it is compared: blanks do not count, and a string inside of one is written with single quotes."""
    return "".join(term.split()).replace("'", '"')


def judge_mark(expected: tree.ExpectMark, item: tree.Rule | tree.Fold, outcome: Outcome) -> Iterator[str]:
    """`mark NAME as spec`: what the name was read or made as."""
    firings = outcome.firings(item) if isinstance(item, tree.Rule) else []
    if not firings:
        yield f"{expected.name} has no mark, because {item.name} did not fire"
        return
    seen = [describe_mark(f, expected.name) for f in firings]
    if not any(_marked(f, expected) for f in firings):
        yield f"{expected.name} is {seen[0]}, and `{unparse(expected.spec)}` was expected"


def describe_mark(firing: Firing, name: str) -> str:
    format = _format(firing, name)
    return "float" if format is None else str(format)


def _format(firing: Firing, name: str) -> object:
    if name in firing.results:
        return firing.results[name][0]
    reads = firing.reads.get(name)
    return reads[0].format if reads else None


def _marked(firing: Firing, expected: tree.ExpectMark) -> bool:
    format, spec = _format(firing, expected.name), expected.spec
    if isinstance(spec, tree.FloatSpec) or format is None:
        return isinstance(spec, tree.FloatSpec) and format is None
    if isinstance(spec, tree.AnySpec):
        return True
    scheme, axis = getattr(format, "scheme", None), getattr(format, "axis", None)
    if isinstance(spec, tree.FixedSpec):
        return scheme is not None and scheme.name == "fixed"
    if scheme is None or scheme.name != spec.scheme:
        return False
    return spec.axis is None or axis == axis_of_letter(firing.match, expected.name, spec.axis)
