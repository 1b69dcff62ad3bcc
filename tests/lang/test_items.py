"""Each kind of item, each kind of clause, each kind of expression: what the parser makes of it."""

import pytest

from qdsl.lang import tree
from qdsl.lang.source import Source, Span
from qdsl.lang.unparse import unparse

from .reading import SAMPLES, expression, read

S = Span(Source("expected", ""), 0, 0)


def name(id: str) -> tree.Name:
    return tree.Name(S, id)


def number(value: float) -> tree.Number:
    return tree.Number(S, value)


def only(text: str) -> tree.Item:
    (item,) = read(text).items
    return item


def test_use() -> None:
    assert only('use "../conv.qrule"') == tree.Use(S, "../conv.qrule")


def test_scheme_with_flags_and_bits() -> None:
    scheme = only("scheme wide = int32 symmetric per_tensor 24 bits")
    assert isinstance(scheme, tree.Scheme)
    assert (scheme.name, scheme.dtype, scheme.flag_names, scheme.bits) == (
        "wide",
        "int32",
        ("symmetric", "per_tensor"),
        24,
    )


def test_schemes_differ_by_their_flags() -> None:
    assert only("scheme a = int8 narrow") != only("scheme a = int8")
    assert only("scheme a = int8 narrow") == only("scheme\na\n=\nint8\nnarrow")


def test_def() -> None:
    body = tree.Binary(S, "*", name("x"), number(2))
    assert only("def twice(x) = x * 2") == tree.Def(S, "twice", S, (tree.NameTarget(S, "x"),), body)
    assert only("def two() = 2") == tree.Def(S, "two", S, (), number(2))


def test_fold() -> None:
    fold = only('fold f for op in nn.relu, tanh "doc" match y = op(x) when wanted(y) rewrite z = x y = z')
    assert isinstance(fold, tree.Fold)
    assert fold.each is not None
    assert fold.each.operator_names == ("nn.relu", "tanh")
    assert (fold.name, fold.doc, len(fold.match), len(fold.rewrite)) == ("f", "doc", 1, 2)
    assert fold.when == tree.Call(S, "wanted", S, (name("y"),))


def test_rule_without_its_optional_clauses() -> None:
    rule = only("rule r match y = nn.relu(x) annotate y like x")
    assert isinstance(rule, tree.Rule)
    assert (rule.each, rule.overrides, rule.doc, rule.when, rule.realize) == (None, (), None, None, None)
    assert rule.annotate == (tree.Like(S, (tree.NameTarget(S, "y"),), "x", S, None),)


def test_rule_with_all_clauses() -> None:
    rule = only('rule r for op in a overrides b, c "doc" match y = op(x) when t annotate x as any realize y = x')
    assert isinstance(rule, tree.Rule)
    assert [o.id for o in rule.overrides] == ["b", "c"]
    assert rule.realize == (tree.Binding(S, (tree.NameTarget(S, "y"),), name("x")),)


def test_targets() -> None:
    rule = only("rule r match y, _, rest... = op(x) annotate y like x")
    assert isinstance(rule, tree.Rule)
    assert rule.match[0].targets == (tree.NameTarget(S, "y"), tree.IgnoredTarget(S), tree.SpreadTarget(S, "rest"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x as float", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.FloatSpec(S))),
        ("x as any", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.AnySpec(S))),
        ("x as act", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.SchemeSpec(S, "act", S))),
        ("x as w[O]", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.SchemeSpec(S, "w", S, "O", S))),
        ("x as w = s", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.SchemeSpec(S, "w", S, None, None, name("s")))),
        ("x as w[C] = s", tree.MarkAs(S, (tree.NameTarget(S, "x"),), tree.SchemeSpec(S, "w", S, "C", S, name("s")))),
        (
            "share x, p... as act",
            tree.Share(S, (tree.NameTarget(S, "x"), tree.SpreadTarget(S, "p")), tree.SchemeSpec(S, "act", S)),
        ),
        ("y like x = c", tree.Like(S, (tree.NameTarget(S, "y"),), "x", S, name("c"))),
        (
            "y as fixed(scale=0.5, zero=3)",
            tree.MarkAs(
                S,
                (tree.NameTarget(S, "y"),),
                tree.FixedSpec(S, (tree.Keyword(S, "scale", number(0.5)), tree.Keyword(S, "zero", number(3)))),
            ),
        ),
    ],
)
def test_marks(text: str, expected: tree.Mark) -> None:
    rule = only(f"rule r match y = op(x) annotate {text} realize y = x")
    assert isinstance(rule, tree.Rule)
    assert rule.annotate == (expected,)


def test_neighbouring_marks_are_told_apart() -> None:
    rule = only("rule r match y = f(x) annotate x as act w as acc = x.scale share a, b as any y like x c, d like b = 2")
    assert isinstance(rule, tree.Rule)
    assert [unparse(m) for m in rule.annotate] == [
        "x as act",
        "w as acc = x.scale",
        "share a, b as any",
        "y like x",
        "c, d like b = 2",
    ]


def test_skip_by_pattern_and_by_name() -> None:
    pattern = tree.Call(S, "nn.conv2d", S, (name("x"), name("w")))
    assert only('skip nn.conv2d(x, w) when a because "so"') == tree.Skip(S, pattern, name("a"), None, "so")
    assert only('skip at "layer*" because "so"') == tree.Skip(S, None, None, "layer*", "so")
    assert only('skip at(x) because "an operator called at"') == tree.Skip(
        S, tree.Call(S, "at", S, (name("x"),)), None, None, "an operator called at"
    )


def test_test() -> None:
    test = only(
        'test r "title" given x: float32[1, 8] w: const int8[] y = f(x) '
        'expect fires skips "constant(w)" mark y as act error <= 1 step error < 0.5 steps'
    )
    assert isinstance(test, tree.Test)
    assert (test.rule, test.title) == ("r", "title")
    assert test.given[:2] == (tree.Input(S, "x", False, "float32", (1, 8)), tree.Input(S, "w", True, "int8", ()))
    assert test.expect == (
        tree.Fires(S),
        tree.Skips(S, "constant(w)"),
        tree.ExpectMark(S, "y", tree.SchemeSpec(S, "act", S)),
        tree.ErrorBound(S, "<=", 1.0),
        tree.ErrorBound(S, "<", 0.5),
    )


X, Y, Z = name("x"), name("y"), name("z")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-12", number(1e-12)),
        ("-3", number(-3)),
        ("2.5E+3", number(2500.0)),
        ("true", number(True)),
        ("False", number(False)),
        ('"abc"', tree.String(S, "abc")),
        ("int32", tree.DType(S, "int32")),
        ("[0, 2, 1]", tree.List(S, (number(0), number(2), number(1)))),
        ("[]", tree.List(S, ())),
        ("[parts...]", tree.List(S, (tree.Spread(S, "parts"),))),
        ("x - y - z", tree.Binary(S, "-", tree.Binary(S, "-", X, Y), Z)),
        ("x + y * z", tree.Binary(S, "+", X, tree.Binary(S, "*", Y, Z))),
        ("-x * y", tree.Binary(S, "*", tree.Unary(S, "-", X), Y)),
        ("x - -1", tree.Binary(S, "-", X, number(-1))),
        ("x -1", tree.Binary(S, "-", X, number(1))),
        ("x.scale[C]", tree.Along(S, tree.Field(S, X, "scale"), "C")),
        ("x and y and z", tree.Logic(S, "and", (X, Y, Z))),
        ("x or y and z", tree.Logic(S, "or", (X, tree.Logic(S, "and", (Y, Z))))),
        ("not x == y", tree.Unary(S, "not", tree.Compare(S, "==", X, Y))),
        ("not constant(x)", tree.Unary(S, "not", tree.Call(S, "constant", S, (X,)))),
        ("add{x, 3}", tree.Call(S, "add", S, (X, number(3)), commutative=True)),
        ("nn.pad(x, **y, v=z)", tree.Call(S, "nn.pad", S, (X, tree.AttributesOf(S, "y"), tree.Keyword(S, "v", Z)))),
        ("f()", tree.Call(S, "f", S, ())),
        ("f(x...)", tree.Call(S, "f", S, (tree.Spread(S, "x"),))),
    ],
)
def test_expressions(text: str, expected: tree.Expr) -> None:
    assert expression(text) == expected
    assert repr(expression(text)) == repr(expected)


def test_the_samples_have_every_kind_of_node() -> None:
    kinds = {type(node) for node in tree.walk(read(SAMPLES.read_text(encoding="utf-8")))}
    defined = {
        kind
        for kind in vars(tree).values()
        if isinstance(kind, type) and issubclass(kind, tree.Node) and kind is not tree.Node
    }
    assert kinds == defined
