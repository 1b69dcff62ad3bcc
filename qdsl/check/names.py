"""Names: unbound (Q0201), bound twice (Q0202), captured and never used (Q0203), within one item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from qdsl.check.finding import error, meant, warning
from qdsl.check.matched import Matched, Patterned, named, read_match
from qdsl.check.references import AXIS_LETTER, references
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.nearest import nearest
from qdsl.lang.source import Span
from qdsl.ops import lookup


@dataclass
class Names:
    """The names in sight while an item is read, clause by clause."""

    bound: dict[str, Span] = field(default_factory=dict)
    """Names that may be read, and where they were bound."""
    described: set[str] = field(default_factory=set)
    """Results: they have fields and attributes, but no value before `realize` or `rewrite` gives them one."""
    used: set[str] = field(default_factory=set)
    found: list[Diagnostic] = field(default_factory=list)

    def read(self, expr: tree.Node) -> None:
        """Every name of an expression has to be bound."""
        for ref in references(expr):
            if ref.part in ("function", "axis"):
                continue  # looked at where the call is
            if ref.part == "along" and ref.name not in self.bound and AXIS_LETTER.fullmatch(ref.name):
                continue
            self.need(ref.name, ref.span, described=ref.part in ("field", "attributes", "result"))

    def need(self, name: str, at: Span, *, described: bool = False, what: str = "is not bound here") -> None:
        """A name has to be bound, or, where only its fields are read, described."""
        if name in self.bound or (described and name in self.described):
            self.used.add(name)
            return
        if name in self.described:
            self.used.add(name)
            text = f"{name} is what this clause computes, and has no value yet"
            self.found.append(error("Q0201", text, at, help=f"bind {name} first, or read one of its operands"))
            return
        candidates = self.bound.keys() | (self.described if described else set())
        near = nearest(name, candidates)
        if near is not None:
            self.used.add(near)
        self.found.append(error("Q0201", f"{name} {what}", at, help=meant(name, candidates) or None))

    def bind(self, target: tree.Target, *, again: str = "is bound twice") -> None:
        """A target binds its name, which nothing may have bound before."""
        if isinstance(target, tree.IgnoredTarget):
            return
        if target.id in self.bound:
            self.twice(target.id, target.span, self.bound[target.id], again)
            return
        self.bound[target.id] = target.span

    def twice(self, name: str, at: Span, first: Span, text: str = "is bound twice") -> None:
        self.found.append(
            error(
                "Q0202",
                f"{name} {text}",
                at,
                "again",
                others=[(first, "first here")],
                help="give one of them another name",
            )
        )


def check_item(item: Patterned) -> list[Diagnostic]:
    """The findings on one rule, fold or skip."""
    matched = read_match(item)
    names = Names()
    _match(item, matched, names)
    if item.when is not None:
        names.bound.update((n, c.span) for n, c in matched.captures.items())
        names.read(item.when)
    if isinstance(item, tree.Rule):
        _annotate(item, matched, names)
        _compute(item.realize or (), matched, names)
    elif isinstance(item, tree.Fold):
        _compute(item.rewrite, matched, names)
    if not isinstance(item, tree.Skip):
        names.found.extend(_unused(matched, names))
    return names.found


def _match(item: Patterned, matched: Matched, names: Names) -> None:
    """Targets bind once, and not after they were read: a match is written in the order of the graph."""
    read: dict[str, Span] = {}
    for binding in matched.bindings:
        for node in tree.walk(binding.value):
            if isinstance(node, tree.Name | tree.Spread):
                if node.id in names.bound or node.id in read:
                    names.used.add(node.id)
                read.setdefault(node.id, node.span)
        for target in named(binding.targets):
            if target.id in read and target.id not in names.bound:
                text = f"{target.id} is read before the binding that makes it, which binds it twice"
                others = [(read[target.id], "stands for any value here")]
                names.found.append(error("Q0202", text, target.span, others=others, help="write this binding first"))
                continue
            names.bind(target)
    names.bound.update((n, s) for n, s in read.items() if n not in names.bound)
    each = None if isinstance(item, tree.Skip) else item.each
    if each is None:
        return
    if each.variable in matched.captures:
        names.used.add(each.variable)
        names.twice(each.variable, matched.captures[each.variable].span, each.span)
    elif lookup(each.variable) is not None:
        text = f"{each.variable} is an operator, and cannot stand for others as well"
        names.found.append(error("Q0202", text, each.span, help="give the name after `for` another name, such as op"))


def _annotate(rule: tree.Rule, matched: Matched, names: Names) -> None:
    """Marks are on names of the match, one for each name."""
    marked: dict[str, Span] = {}
    for mark in rule.annotate:
        for target in mark.targets:
            names.need(target.id, target.span, what="is no name of the match")
            if target.id in marked:
                names.twice(target.id, target.span, marked[target.id], "is marked twice")
            marked.setdefault(target.id, target.span)
        if isinstance(mark, tree.Like):
            names.need(mark.source, mark.source_span, what="is no name of the match")
            if mark.scale is not None:
                names.read(mark.scale)
        elif isinstance(mark.spec, tree.SchemeSpec) and mark.spec.scale is not None:
            names.read(mark.spec.scale)
        elif isinstance(mark.spec, tree.FixedSpec):
            for argument in mark.spec.args:
                names.read(argument.value)


def _compute(bindings: Iterable[tree.Binding], matched: Matched, names: Names) -> None:
    """A realize or rewrite clause: results get their values, locals are bound once and read."""
    outer = dict(names.bound)
    names.described = set(matched.results)
    names.bound = {n: c.span for n, c in matched.captures.items() if n not in matched.results}
    local: dict[str, Span] = {}
    for binding in bindings:
        names.read(binding.value)
        for target in named(binding.targets):
            names.bind(target)
            if target.id not in matched.captures:
                local.setdefault(target.id, target.span)
    for name, span in local.items():
        if name not in names.used and not name.startswith("_"):
            names.found.append(warning("Q0203", f"{name} is computed and never used", span, help="delete the binding"))
    names.bound = outer | names.bound


def _unused(matched: Matched, names: Names) -> Iterator[Diagnostic]:
    """Names of the match that nothing reads; interior ones are read by the match itself."""
    item = matched.item
    defined = {t.id for b in _clause(item) for t in named(b.targets)}
    for capture in matched.captures.values():
        name = capture.name
        if name in names.used or name in defined or name.startswith("_") or capture.kind == "attribute":
            continue
        if name in matched.results and not defined.intersection(matched.results):
            continue  # the clause defines nothing of the match: Q0401
        if capture.call is not None:
            yield warning("Q0203", f"{name} is captured and never used", capture.span, help="write _ in its place")
        elif capture.kind in ("shape", "number", "numbers"):
            text = "leave the operand out: it is a field of the result and travels with **"
            yield warning("Q0203", f"{name} is captured and never used", capture.span, help=text)
        else:
            text = f"write _{name} if it only fills an operand's place"
            yield warning("Q0203", f"{name} is captured and never used", capture.span, help=text)
    each = None if isinstance(item, tree.Skip) else item.each
    if each is not None and not _is_called(item, each.variable):
        yield warning(
            "Q0203", f"{each.variable} stands for operators and is never used", each.span, help="call it in the match"
        )


def _clause(item: Patterned) -> tuple[tree.Binding, ...]:
    if isinstance(item, tree.Rule):
        return item.realize or ()
    return item.rewrite if isinstance(item, tree.Fold) else ()


def _is_called(item: Patterned, variable: str) -> bool:
    return any(isinstance(n, tree.Call) and n.func == variable for n in tree.walk(item))


def check_def(item: tree.Def) -> list[Diagnostic]:
    """A def reads its parameters and nothing else."""
    names = Names()
    for parameter in item.parameters:
        names.bind(parameter)
    names.read(item.body)
    for parameter in item.parameters:
        if parameter.id not in names.used and not parameter.id.startswith("_"):
            text = f"{parameter.id} is a parameter that is never used"
            names.found.append(warning("Q0203", text, parameter.span, help="leave the parameter out"))
    return names.found


def check_test(item: tree.Test, captures: Mapping[str, object] | None) -> list[Diagnostic]:
    """A test's own names, and the names of its rule (None where the rule is unknown) in what it expects."""
    names = Names()
    for given in item.given:
        if isinstance(given, tree.Input):
            if given.name in names.bound:
                names.twice(given.name, given.span, names.bound[given.name])
            names.bound.setdefault(given.name, given.span)
            continue
        names.read(given.value)
        for target in given.targets:
            names.bind(target)
    for given in item.given:
        if isinstance(given, tree.Input) and given.name not in names.used and not given.name.startswith("_"):
            text = f"{given.name} is given and never used"
            names.found.append(warning("Q0203", text, given.span, help="delete the input"))
    for outcome in item.expect:
        if isinstance(outcome, tree.ExpectMark) and captures is not None and outcome.name not in captures:
            text = f"{outcome.name} is no name of the rule {item.rule}"
            names.found.append(error("Q0201", text, outcome.span, help=meant(outcome.name, captures) or None))
    return names.found
