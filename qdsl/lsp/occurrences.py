"""The names in an item: what each speaks of, where exactly it stands, and whether it is defined there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qdsl.check.attributes import is_operator_name
from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.matched import read_match
from qdsl.check.references import AXIS_LETTER, builtin_of, references
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lsp.document import Document
from qdsl.lsp.terms import term_expression


@dataclass(frozen=True)
class Occurrence:
    """A name as it stands in a file."""

    kind: str
    """
    value      a capture or local of `owner`      each      the name after `for`       parameter  of a def
    scheme     def      rule (or fold)            operator  guard  builder             letter     an axis
    attribute  a keyword of a call of `of`        field     of the value `of`          file       that a `use` names
    """
    name: str
    span: Span
    item: tree.Item
    defines: bool = False
    of: str = ""
    owner: str = ""
    """In a test, the rule whose capture is meant; else the item's own names are."""


def occurrences(item: tree.Item, document: Document) -> list[Occurrence]:
    """The names of an item in the order in which they stand."""
    reader = _Reader(item, document)
    return sorted(reader.read(), key=lambda o: (o.span.start, -o.span.end))


def occurrence_at(document: Document, offset: int) -> Occurrence | None:
    """The name that a character, or the end of a name, belongs to."""
    item = document.item_at(offset)
    if item is None:
        return None
    near = [o for o in occurrences(item, document) if o.span.start <= offset <= o.span.end]
    return min(near, key=lambda o: (o.span.end - o.span.start, -o.span.start), default=None)


@dataclass(frozen=True)
class _Reader:
    item: tree.Item
    document: Document

    def read(self) -> Iterator[Occurrence]:
        item = self.item
        if isinstance(item, tree.Use):
            word = self._word(item.span, 1)
            yield self._at("file", item.path, self.document.span(word.start + 1, word.end - 1))
        elif isinstance(item, tree.Scheme):
            yield self._at("scheme", item.name, item.name_span, defines=True)
        elif isinstance(item, tree.Def):
            yield self._at("def", item.name, item.name_span, defines=True)
            names = {p.id for p in item.parameters}
            yield from (self._at("parameter", p.id, p.span, defines=True) for p in item.parameters)
            yield from self._expression(item.body, names)
        elif isinstance(item, tree.Test):
            yield from self._test(item)
        else:
            yield from self._patterned(item)

    # ---- items

    def _patterned(self, item: tree.Rule | tree.Fold | tree.Skip) -> Iterator[Occurrence]:
        matched = read_match(item)
        if not isinstance(item, tree.Skip):
            yield self._at("rule", item.name, item.name_span, defines=True)
            if item.each:
                yield self._at("each", item.each.variable, self._word(item.each.span, 1), defines=True)
                yield from (self._at("operator", n, s) for n, s in item.each.operators)
        defined: set[str] = set()
        for binding in matched.bindings:
            yield from self._targets(binding.targets, defined)
            yield from self._pattern(binding.value, defined)
        names = set(matched.captures)
        if item.when is not None:
            yield from self._expression(item.when, names)
        if isinstance(item, tree.Rule):
            yield from (self._at("rule", t.id, t.span) for t in item.overrides)
            for mark in item.annotate:
                yield from self._mark(mark, names)
            yield from self._bindings(item.realize or (), names, defined)
        elif isinstance(item, tree.Fold):
            yield from self._bindings(item.rewrite, names, defined)

    def _test(self, item: tree.Test) -> Iterator[Occurrence]:
        yield self._at("rule", item.rule, item.rule_span)
        names: set[str] = set()
        for given in item.given:
            if isinstance(given, tree.Input):
                names.add(given.name)
                yield self._at("value", given.name, self._word(given.span, 0), defines=True)
            else:
                yield from self._bindings((given,), names, set())
        for outcome in item.expect:
            if isinstance(outcome, tree.ExpectMark):
                yield self._at("value", outcome.name, self._word(outcome.span, 1), owner=item.rule)
                yield from self._spec(outcome.spec, names)
            elif isinstance(outcome, tree.Skips):
                yield from self._term(outcome, item.rule)

    def _term(self, outcome: tree.Skips, rule: str) -> Iterator[Occurrence]:
        """The names in the text of `skips "constant(w)"`: those of the rule."""
        word = self._word(outcome.span, 1)
        term = term_expression(outcome.term)
        for ref in references(term.expr) if term else ():
            if term and ref.part not in ("axis", "function"):
                start = word.start + 1 + ref.span.start - term.shift
                yield self._at("value", ref.name, self.document.span(start, start + len(ref.name)), owner=rule)

    # ---- clauses

    def _targets(self, targets: Iterable[tree.Target], defined: set[str]) -> Iterator[Occurrence]:
        for target in targets:
            if not isinstance(target, tree.IgnoredTarget):
                yield self._at("value", target.id, _head(target.span, target.id), defines=target.id not in defined)
                defined.add(target.id)

    def _bindings(self, bindings: Iterable[tree.Binding], names: set[str], defined: set[str]) -> Iterator[Occurrence]:
        for binding in bindings:
            yield from self._expression(binding.value, names)
            yield from self._targets(binding.targets, defined)
            names |= {t.id for t in binding.targets if not isinstance(t, tree.IgnoredTarget)}

    def _mark(self, mark: tree.Mark, names: set[str]) -> Iterator[Occurrence]:
        yield from (self._at("value", t.id, _head(t.span, t.id)) for t in mark.targets)
        if isinstance(mark, tree.Like):
            yield self._at("value", mark.source, mark.source_span)
            if mark.scale is not None:
                yield from self._expression(mark.scale, names)
        else:
            yield from self._spec(mark.spec, names)

    def _spec(self, spec: tree.Spec, names: set[str]) -> Iterator[Occurrence]:
        if isinstance(spec, tree.SchemeSpec):
            yield self._at("scheme", spec.scheme, spec.scheme_span)
            if spec.axis is not None and spec.axis_span is not None:
                yield self._at("letter", spec.axis, spec.axis_span)
            if spec.scale is not None:
                yield from self._expression(spec.scale, names)
        elif isinstance(spec, tree.FixedSpec):
            for argument in spec.args:
                yield from self._expression(argument, names)

    # ---- expressions

    def _pattern(self, expr: tree.Expr, defined: set[str]) -> Iterator[Occurrence]:
        """A match: names capture, and the first time they do defines them."""
        for node in tree.walk(expr):
            if isinstance(node, tree.Name | tree.Spread):
                yield self._at("value", node.id, _head(node.span, node.id), defines=node.id not in defined)
                defined.add(node.id)
        yield from self._heads(expr)

    def _expression(self, expr: tree.Node, names: set[str]) -> Iterator[Occurrence]:
        for ref in references(expr):
            if ref.part == "function":
                yield self._at(self._called(ref.name, None), ref.name, ref.span)
            elif ref.part == "axis" or (ref.name not in names and AXIS_LETTER.fullmatch(ref.name)):
                yield self._at("letter", ref.name, ref.span)
            else:
                span = ref.span
                if ref.part == "attributes":
                    span = self.document.span(span.end - len(ref.name), span.end)
                yield self._at(self._read(ref.name), ref.name, _head(span, ref.name))
        yield from self._heads(expr)

    def _heads(self, expr: tree.Node) -> Iterator[Occurrence]:
        """What is called, and the names behind dots, before equals signs and in square brackets."""
        for node in tree.walk(expr):
            if isinstance(node, tree.Call):
                yield self._at(self._called(node.func, node), node.func, node.func_span)
                for keyword in node.keywords:
                    yield self._at("attribute", keyword.name, self._word(keyword.span, 0), of=node.func)
            elif isinstance(node, tree.Field) and isinstance(node.base, tree.Name) and not is_operator_name(node):
                yield self._at("field", node.name, self._word(node.span, -1), of=node.base.id)
            elif isinstance(node, tree.Along):
                yield self._at("letter", node.axis, self._word(node.span, -2))

    def _read(self, name: str) -> str:
        each = getattr(self.item, "each", None)
        if each is not None and each.variable == name:
            return "each"
        return "parameter" if isinstance(self.item, tree.Def) else "value"

    def _called(self, func: str, call: tree.Call | None) -> str:
        each = getattr(self.item, "each", None)
        if each is not None and each.variable == func:
            return "each"
        if func in self.document.program.defs:
            return "def"
        if func in GUARDS | BUILDERS and (call is None or builtin_of(call) is not None):
            return "guard" if func in GUARDS else "builder"
        return "operator"

    # ---- places

    def _word(self, span: Span, index: int) -> Span:
        return self.document.word_span(self.document.words_in(span)[index])

    def _at(
        self, kind: str, name: str, span: Span, *, defines: bool = False, of: str = "", owner: str = ""
    ) -> Occurrence:
        return Occurrence(kind, name, span, self.item, defines, of, owner)


def _head(span: Span, name: str) -> Span:
    """The name of `name...`."""
    return Span(span.source, span.start, span.start + len(name))
