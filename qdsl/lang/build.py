"""From Lark's tree to ours, bottom up without recursion: items and clauses; expressions are in build_expressions."""

from __future__ import annotations

from typing import Any

from qdsl.lang import tree
from qdsl.lang.build_expressions import Expressions
from qdsl.lang.flags import read_flags
from qdsl.lang.pieces import Piece, Refusal, all_of, first_of, value_of
from qdsl.lang.source import Source, Span

DEEPEST = 64
"""Nesting beyond this is refused, so that everything after the parser may recurse. Real rules nest six deep."""


def build(parsed: Any, source: Source) -> tree.Item | None:
    """The item in a Lark tree of `start` (None where there is none). Raises Refusal for what the grammar cannot say."""
    builder = Builder(source)
    pending, order = [parsed], []
    while pending:
        current = pending.pop()
        order.append(current)
        if hasattr(current, "children"):
            pending.extend(current.children)
    stack: list[Piece] = []
    for current in reversed(order):
        if not hasattr(current, "children"):
            stack.append(Piece(current.type, str(current), current.start_pos, current.end_pos, 0))
            continue
        size = len(current.children)
        children = stack[len(stack) - size :]
        del stack[len(stack) - size :]
        if current.data != "start":
            stack.append(_piece(builder, current.data, children))
        elif children:
            item: tree.Item = children[0].value
            return item
    return None


def _piece(builder: Builder, kind: str, children: list[Piece]) -> Piece:
    start, end = children[0].start, children[-1].end
    span = Span(builder.source, start, end)
    # A flat chain a + b + c becomes a tree as deep as it is long.
    links = len(children) // 2 if kind in ("sum", "product") else 1
    depth = max(child.depth for child in children) + links
    if depth > DEEPEST:
        raise Refusal(span, f"nested more than {DEEPEST} deep", help="name the parts in bindings of their own")
    return Piece(kind, getattr(builder, kind)(children, span), start, end, depth)


class Builder(Expressions):
    """A method for every rule of the grammar: its children, and the span from the first to the last of them."""

    # ---- items

    def use(self, parts: list[Piece], span: Span) -> tree.Use:
        return tree.Use(span, parts[1].value[1:-1])

    def scheme(self, parts: list[Piece], span: Span) -> tree.Scheme:
        dtype = parts[3]
        flags, bits = read_flags(dtype.value, self.span(dtype), [(f.value, self.span(f)) for f in parts[4:]])
        return tree.Scheme(span, parts[1].value, self.span(parts[1]), dtype.value, flags, bits)

    def flag(self, parts: list[Piece], span: Span) -> str | int:
        return parts[0].value if parts[0].kind == "NAME" else self.whole(parts[0])

    def definition(self, parts: list[Piece], span: Span) -> tree.Def:
        parameters = first_of(parts, "names") or ()
        return tree.Def(span, parts[1].value, self.span(parts[1]), parameters, parts[-1].value)

    def fold(self, parts: list[Piece], span: Span) -> tree.Fold:
        each, doc, match, when, rewrite = (first_of(parts, k) for k in ("each", "doc", "match", "when", "rewrite"))
        return tree.Fold(span, parts[1].value, self.span(parts[1]), each, doc, match, when, rewrite)

    def rule(self, parts: list[Piece], span: Span) -> tree.Rule:
        return tree.Rule(
            span,
            name=parts[1].value,
            name_span=self.span(parts[1]),
            each=first_of(parts, "each"),
            overrides=first_of(parts, "overrides") or (),
            doc=first_of(parts, "doc"),
            match=first_of(parts, "match"),
            when=first_of(parts, "when"),
            annotate=first_of(parts, "annotate"),
            realize=first_of(parts, "realize"),
        )

    def skip(self, parts: list[Piece], span: Span) -> tree.Skip:
        pattern = parts[1].value
        if isinstance(pattern, tree.String):
            raise Refusal(pattern.span, "a name is skipped with `at`", help=f'write skip at "{pattern.value}"')
        if not isinstance(pattern, tree.Call):
            raise Refusal(
                pattern.span, "what to skip is written as an operator call", help="for example nn.conv2d(x, w)"
            )
        return tree.Skip(span, pattern, first_of(parts, "when"), None, first_of(parts, "because"))

    def skip_at(self, parts: list[Piece], span: Span) -> tree.Skip:
        return tree.Skip(span, None, None, parts[2].value[1:-1], first_of(parts, "because"))

    def test(self, parts: list[Piece], span: Span) -> tree.Test:
        given, expect = first_of(parts, "given"), first_of(parts, "expect")
        return tree.Test(span, parts[1].value, self.span(parts[1]), parts[2].value[1:-1], given, expect)

    # ---- clauses

    def each(self, parts: list[Piece], span: Span) -> tree.Each:
        operators = tuple((p.value, self.span(p)) for p in parts if p.kind == "operator")
        return tree.Each(span, parts[1].value, operators)

    def operator(self, parts: list[Piece], span: Span) -> str:
        return "".join(p.value for p in parts)

    def names(self, parts: list[Piece], span: Span) -> tuple[tree.NameTarget, ...]:
        return all_of(parts, "name_target")

    def doc(self, parts: list[Piece], span: Span) -> str:
        text: str = parts[0].value[1:-1]
        return text

    def _second(self, parts: list[Piece], span: Span) -> Any:
        return parts[1].value

    overrides = when = _second

    def because(self, parts: list[Piece], span: Span) -> str:
        text: str = parts[1].value[1:-1]
        return text

    def _rest(self, parts: list[Piece], span: Span) -> tuple[Any, ...]:
        return tuple(p.value for p in parts[1:])

    match = annotate = realize = rewrite = given = expect = _rest

    # ---- bindings and marks

    def binding(self, parts: list[Piece], span: Span) -> tree.Binding:
        return tree.Binding(span, tuple(p.value for p in parts[:-2] if p.kind != "COMMA"), parts[-1].value)

    def name_target(self, parts: list[Piece], span: Span) -> tree.NameTarget:
        return tree.NameTarget(span, parts[0].value)

    def spread_target(self, parts: list[Piece], span: Span) -> tree.SpreadTarget:
        return tree.SpreadTarget(span, parts[0].value)

    def ignored_target(self, parts: list[Piece], span: Span) -> tree.IgnoredTarget:
        return tree.IgnoredTarget(span)

    def captures(self, parts: list[Piece], span: Span) -> tuple[tree.NameTarget | tree.SpreadTarget, ...]:
        return tuple(p.value for p in parts if p.kind != "COMMA")

    def mark_as(self, parts: list[Piece], span: Span) -> tree.MarkAs:
        return tree.MarkAs(span, parts[0].value, parts[2].value)

    def share(self, parts: list[Piece], span: Span) -> tree.Share:
        return tree.Share(span, parts[1].value, parts[3].value)

    def like(self, parts: list[Piece], span: Span) -> tree.Like:
        return tree.Like(span, parts[0].value, parts[2].value, self.span(parts[2]), value_of(parts, 4))

    def float_spec(self, parts: list[Piece], span: Span) -> tree.FloatSpec:
        return tree.FloatSpec(span)

    def any_spec(self, parts: list[Piece], span: Span) -> tree.AnySpec:
        return tree.AnySpec(span)

    def fixed_spec(self, parts: list[Piece], span: Span) -> tree.FixedSpec:
        for argument in parts[2].value:
            if not isinstance(argument, tree.Keyword):
                raise Refusal(argument.span, "fixed takes named arguments", help="write fixed(scale=..., zero=...)")
        return tree.FixedSpec(span, parts[2].value)

    def scheme_spec(self, parts: list[Piece], span: Span) -> tree.SchemeSpec:
        axis = parts[2] if value_of(parts, 1) == "[" else None
        scale = parts[-1].value if len(parts) > 1 and parts[-2].kind == "EQUAL" else None
        axis_span = self.span(axis) if axis else None
        return tree.SchemeSpec(
            span, parts[0].value, self.span(parts[0]), axis.value if axis else None, axis_span, scale
        )

    # ---- tests

    def input(self, parts: list[Piece], span: Span) -> tree.Input:
        const = parts[2].kind == "CONST"
        dims = tuple(self.whole(p) for p in parts if p.kind == "INT")
        return tree.Input(span, parts[0].value, const, parts[3 if const else 2].value, dims)

    def fires(self, parts: list[Piece], span: Span) -> tree.Fires:
        return tree.Fires(span)

    def skips(self, parts: list[Piece], span: Span) -> tree.Skips:
        return tree.Skips(span, parts[1].value[1:-1])

    def expect_mark(self, parts: list[Piece], span: Span) -> tree.ExpectMark:
        return tree.ExpectMark(span, parts[1].value, parts[3].value)

    def error_bound(self, parts: list[Piece], span: Span) -> tree.ErrorBound:
        return tree.ErrorBound(span, parts[1].value, float(parts[2].value.value))


# The one rule of the grammar whose name Python reserves.
setattr(Builder, "def", Builder.definition)
