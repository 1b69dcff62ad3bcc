"""Random syntax trees for properties that hold of all of them. Their spans mean nothing."""

from hypothesis import strategies as st

from qdsl.lang import tree
from qdsl.lang.grammar import reserved_words
from qdsl.lang.source import Source, Span

HERE = Span(Source("generated", ""), 0, 0)
WORDS = ["x", "y", "w2", "gamma", "C", "_private", "matches", "step", "any", "float", "mark", "int", "e5", "floats"]
NAMES = st.sampled_from(WORDS)
LABELS = st.sampled_from([*WORDS, *sorted(reserved_words()), "true"])
PLAIN_NAMES = st.sampled_from(["act", "weight", "x1", "fixedly"])
"""Names of schemes, which soft words cannot be."""
DTYPES = st.sampled_from(["int4", "uint8", "int32", "float32", "bfloat16", "bool"])
DOTTED = st.lists(LABELS, max_size=2).flatmap(lambda rest: NAMES.map(lambda name: ".".join([name, *rest])))
TEXTS = st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=["Cs"]), max_size=8)

NUMBERS = st.builds(
    tree.Number,
    st.just(HERE),
    st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
)
ATOMS = (
    st.builds(tree.Name, st.just(HERE), NAMES)
    | NUMBERS
    | st.builds(tree.String, st.just(HERE), TEXTS)
    | st.builds(tree.DType, st.just(HERE), DTYPES)
)
SPREADS = st.builds(tree.Spread, st.just(HERE), NAMES)


def _larger(inner: st.SearchStrategy[tree.Expr]) -> st.SearchStrategy[tree.Expr]:
    """Every kind of expression that has expressions in it."""
    here = st.just(HERE)
    argument = (
        inner | SPREADS | st.builds(tree.Keyword, here, LABELS, inner) | st.builds(tree.AttributesOf, here, NAMES)
    )
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    pair = st.lists(inner, min_size=2, max_size=2).map(tuple)
    return (
        st.builds(tree.List, here, st.lists(inner | SPREADS, max_size=3).map(tuple))
        | st.builds(tree.Field, here, inner, LABELS)
        | st.builds(tree.Along, here, inner, NAMES)
        | st.builds(tree.Call, here, DOTTED, here, st.lists(argument, max_size=3).map(tuple))
        | st.builds(tree.Call, here, DOTTED, here, pair, st.just(True))
        | st.builds(tree.Unary, here, st.sampled_from(["-", "not"]), inner)
        | st.builds(tree.Binary, here, st.sampled_from("+-*/"), inner, inner)
        | st.builds(tree.Compare, here, st.sampled_from(["<", "<=", "==", "!=", ">", ">="]), inner, inner)
        | st.builds(tree.Logic, here, st.sampled_from(["and", "or"]), several)
    )


EXPRESSIONS = st.recursive(ATOMS, _larger, max_leaves=10)


def _items() -> st.SearchStrategy[tree.Item]:
    here = st.just(HERE)
    name_target = st.builds(tree.NameTarget, here, NAMES)
    capture = name_target | st.builds(tree.SpreadTarget, here, NAMES)
    captures = st.lists(capture, min_size=1, max_size=3).map(tuple)
    target = capture | st.builds(tree.IgnoredTarget, here)
    bindings = st.lists(
        st.builds(tree.Binding, here, st.lists(target, min_size=1, max_size=3).map(tuple), EXPRESSIONS),
        min_size=1,
        max_size=2,
    ).map(tuple)
    maybe = st.none() | EXPRESSIONS
    keywords = st.lists(st.builds(tree.Keyword, here, LABELS, EXPRESSIONS), min_size=1, max_size=2).map(tuple)
    spec = (
        st.builds(tree.SchemeSpec, here, PLAIN_NAMES, here, st.none() | NAMES, st.none(), maybe)
        | st.builds(tree.AnySpec, here)
        | st.builds(tree.FloatSpec, here)
        | st.builds(tree.FixedSpec, here, keywords)
    )
    mark = (
        st.builds(tree.MarkAs, here, captures, spec)
        | st.builds(tree.Share, here, captures, spec)
        | st.builds(tree.Like, here, captures, NAMES, here, maybe)
    )
    operators = st.lists(DOTTED.map(lambda name: (name, HERE)), min_size=1, max_size=2).map(tuple)
    each = st.none() | st.builds(tree.Each, here, NAMES, operators)
    doc = st.none() | TEXTS
    flags = st.sampled_from(
        [(), ("symmetric",), ("asymmetric", "per_channel"), ("narrow", "per_tensor", "symmetric"), ("pow2",)]
    ).map(lambda names: tuple((name, HERE) for name in names))
    outcome = (
        st.builds(tree.Fires, here)
        | st.builds(tree.Skips, here, TEXTS)
        | st.builds(tree.ExpectMark, here, NAMES, spec)
        | st.builds(tree.ErrorBound, here, st.sampled_from(["<", "<="]), st.floats(0, 1e6))
    )
    tensor = st.builds(
        tree.Input, here, NAMES, st.booleans(), DTYPES, st.lists(st.integers(0, 99), max_size=3).map(tuple)
    )
    given = st.lists(tensor, min_size=1, max_size=2).flatmap(lambda a: bindings.map(lambda b: (*a, *b)))
    marks = st.lists(mark, min_size=1, max_size=3).map(tuple)
    outcomes = st.lists(outcome, min_size=1, max_size=3).map(tuple)
    overrides = st.lists(name_target, max_size=2).map(tuple)
    return (
        st.builds(tree.Use, here, TEXTS)
        | st.builds(tree.Scheme, here, PLAIN_NAMES, here, st.just("int8"), flags, st.none() | st.integers(2, 8))
        | st.builds(tree.Def, here, NAMES, here, overrides, EXPRESSIONS)
        | st.builds(tree.Fold, here, NAMES, here, each, doc, bindings, maybe, bindings)
        | st.builds(tree.Rule, here, NAMES, here, each, overrides, doc, bindings, maybe, marks, st.none() | bindings)
        | st.builds(tree.Skip, here, EXPRESSIONS.filter(lambda e: isinstance(e, tree.Call)), maybe, st.none(), TEXTS)
        | st.builds(tree.Skip, here, st.none(), st.none(), TEXTS, TEXTS)
        | st.builds(tree.Test, here, NAMES, here, TEXTS, given, outcomes)
    )


FILES = st.lists(_items(), max_size=3).map(lambda items: tree.File(HERE, tuple(items)))
