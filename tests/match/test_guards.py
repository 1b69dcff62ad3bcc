"""Guards one by one: each term on a match where it holds and on one where it does not, and what a failure says."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from tvm import relax

from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang.program import load_text
from qdsl.match import guards
from qdsl.match.found import Match
from qdsl.match.graph import Graph

from .net import Net, constant, named, nn
from .patterns import book_of, rule_text

ACC = Format(SchemeType("acc", "int32", True, True), Scale.of("s"), 0, 1)
SINGLE = Format(SchemeType("acc", "int32", True, True), Scale.of("s"), 0, None)
WIDE = Format(SchemeType("wide", "int32", True, False, bits=24), Scale.of("s"), 0, None)


@dataclass(frozen=True)
class Told:
    """Facts as a test sets them, by the names of variables."""

    graph: Graph
    formats: dict[str, Format] = field(default_factory=dict)
    wants: frozenset[str] = frozenset()

    def format_of(self, value: relax.Expr) -> Format | None:
        return self.formats.get(str(value.name)) if isinstance(value, relax.Var) else None

    def wanted(self, value: relax.Expr) -> bool:
        return isinstance(value, relax.Var) and str(value.name) in self.wants

    def channelwise(self, value: relax.Expr) -> bool:
        return isinstance(value, relax.Var) and str(value.name) in self.wants


def network() -> Graph:
    """conv -> batch norm -> add of a bias -> relu -> multiply by one number, and readers on the side."""
    net = Net()
    x = net.input(2, 3, 8, 9)
    net.names |= {"bias", "gain"}
    c = net.emit(nn.conv2d(x, net.const(6, 3, 3, 3), strides=2, padding=1), "c")
    n = net.batch_norm(c, "n", epsilon=1e-3)
    a = net.emit(relax.op.add(n, net.const(6, 1, 1)), "a")
    r = net.emit(nn.relu(a), "r")
    t = net.emit(relax.op.add(r, r), "t")
    g = net.emit(relax.op.multiply(t, constant([[[[0.5]]]])), "g")
    twice = net.emit(relax.op.permute_dims(a, [0, 2, 3, 1]), "p")
    left, right = net.items(net.emit(relax.op.split(r, 2, 1), "halves"), 0, 1)
    return net.graph(g, twice, net.emit(relax.op.concat([left, right], 1), "j"), n)


GRAPH = network()
CONV = ("c", "y = nn.conv2d(x, w)")
NORM = ("n", "c = nn.conv2d(x, w)\n          y, _, _ = nn.batch_norm(c, gamma, beta, mean, var)")
BIAS = ("a", "y = add{x, b}")
RELU = ("r", "s = add(x, b)\n          y = nn.relu(s)")
TWICE = ("t", "y = add(r, r)")
GAIN = ("g", "t = add(x, x)\n          y = multiply{t, c}")
MOVE = ("p", "y = permute_dims(x)")
SPLIT = ("halves", "parts... = split(x)")
JOIN = ("j", "y = concat([parts...])")


def verdict(at: tuple[str, str], when: str, defs: str = "", **facts: object) -> guards.Verdict:
    root, clause = at
    book, compiled = book_of(clause)
    match = next(iter(book.matches(GRAPH, compiled, named(GRAPH, root))))
    assert isinstance(match, Match)
    program = load_text(defs + "\n" + rule_text(clause, when))
    assert not program.diagnostics
    return guards.check(program.rules[0].when, match, Told(GRAPH, **facts), program.defs)  # type: ignore[arg-type]


HOLD = [
    (CONV, "constant(w)"), (GAIN, "constant(c)"), (CONV, "not constant(x)"), (CONV, "not constant(w, x)"),
    (NORM, "constant(w, gamma, beta, mean, var)"),
    (NORM, "used_once(c)"), (TWICE, "not used_once(r)"), (RELU, "not used_once(s)"), (SPLIT, "not used_once(x)"),
    (NORM, "private(c)"), (RELU, "not private(s)"), (GAIN, "private(t)"),
    (GAIN, "scalar(c)"), (BIAS, "not scalar(b)"), (GAIN, "c > 0"), (GAIN, "c == 0.5"), (GAIN, "not c > 1"),
    (NORM, "var > 0"), (NORM, "not gamma > 0"),
    (CONV, "rank(w) == 4"), (BIAS, "rank(b) == 3"), (CONV, "size(w, O) == 6 and size(w, I) == 3"),
    (CONV, "size(x, W) == 9 and size(y, H) == 4"), (CONV, "axis(w, O) == 0 and axis(y, C) == 1"),
    (NORM, "y.axis == axis(c, C)"), (NORM, "not y.training"), (NORM, "y.epsilon == 0.001"), (NORM, "y.epsilon < 0.01"),
    (CONV, "y.strides == [2, 2]"), (CONV, "y.groups == 1"), (CONV, 'y.data_layout == "NCHW"'),
    (MOVE, "y.axes == [0, 2, 3, 1]"),
    (CONV, "y.shape == [2, 6, 4, 5]"), (CONV, "shape(w) == [6, 3, 3, 3]"),
    (CONV, "dtype(x) == float32"), (CONV, "dtype(x, float32)"), (CONV, "x.dtype == float32"),
    (GAIN, "spans(c, t)"),
    (CONV, "size(w, I) * 2 == size(w, O) and 1 + 2 <= size(w, I) or constant(x)"),
    (CONV, "y.nothing == 1 or constant(w)"),
]  # fmt: skip


@pytest.mark.parametrize(("at", "when"), HOLD, ids=[w for _, w in HOLD])
def test_terms(at: tuple[str, str], when: str) -> None:
    """Each of these holds; with `not` before it, it does not."""
    assert verdict(at, when).holds
    refused = verdict(at, f"not ({when})")
    assert not refused.holds
    assert refused.term is not None


@pytest.mark.parametrize("guard", ["quantized", "wanted", "channelwise"])
def test_terms_about_the_sweep(guard: str) -> None:
    facts = {"formats": {"r": ACC}} if guard == "quantized" else {"wants": frozenset({"r"})}
    assert verdict(TWICE, f"{guard}(r)", **facts).holds
    assert not verdict(TWICE, f"{guard}(y)", **facts).holds
    assert not verdict(CONV, f"{guard}(w)", **facts).holds


def test_of_a_spread_one_is_wanted_and_all_are_quantized() -> None:
    one = "halves_1"
    assert verdict(SPLIT, "wanted(parts...)", wants=frozenset({one})).holds
    assert not verdict(SPLIT, "wanted(parts...)", wants=frozenset({"r"})).holds
    assert not verdict(JOIN, "quantized(parts...)", formats={one: ACC}).holds
    assert verdict(JOIN, "quantized(parts...)", formats={one: ACC, "halves_0": ACC}).holds


@pytest.mark.parametrize(
    ("format", "holds"), [(ACC, True), (SINGLE, True), (WIDE, False), (Format(ACC.scheme, ACC.scale, 0, 2), False)]
)
def test_spans_an_accumulator(format: Format, holds: bool) -> None:
    """(6, 1, 1) lies along axis 1 of four, spans one scale for all, but not another axis or a per-tensor scheme."""
    assert verdict(BIAS, "spans(b, x)", formats={"n_0": format}).holds is holds


def test_one_element_spans_everything() -> None:
    assert verdict(GAIN, "spans(c, t)", formats={"t": WIDE}).holds


@pytest.mark.parametrize(
    ("at", "when", "term", "seen"),
    [
        (CONV, "constant(w) and rank(x) == 3 and rank(w) == 3", "rank(x) == 3", "rank(x) is 4"),
        (NORM, "y.axis == 2", "y.axis == 2", "y.axis is 1"),
        (GAIN, "c > 0.75", "c > 0.75", "c is [[[[0.5]]]]"),
        (CONV, "used_once(x) and constant(x)", "constant(x)", ""),
        (CONV, "y.training", "y.training", "nn.conv2d has no attribute training"),
        (CONV, "x.strides == [1, 1]", "x.strides == [1, 1]", "x is not a result of the match"),
        (BIAS, "size(b, C) == 6", "size(b, C) == 6", "b has no axis C here"),
        (TWICE, "y > 0", "y > 0", "y is computed, not a constant"),
        (BIAS, "axis(b, O) == 0", "axis(b, O) == 0", "without an axis O"),
    ],
)
def test_a_failure_names_the_term_and_what_it_saw(at: tuple[str, str], when: str, term: str, seen: str) -> None:
    refused = verdict(at, when)
    assert refused.text == term
    assert seen in refused.seen


def test_a_def_is_read_with_the_values_it_is_given() -> None:
    assert verdict(GAIN, "half(c) == 0.25", "def half(v) = v / 2").holds


def test_every_term_is_recorded_until_one_fails() -> None:
    root, clause = CONV
    book, compiled = book_of(clause, "constant(w) and rank(w) == 3 and constant(x)")
    # DPL knows what the guard demands to be constant, and x is not.
    assert not list(book.matches(GRAPH, compiled, named(GRAPH, root)))
    near = book.near_miss(GRAPH, compiled, named(GRAPH, root))
    assert isinstance(near, Match)
    told: list[tuple[str, bool]] = []
    guards.check(
        compiled.item.when,
        near,
        Told(GRAPH),
        {},
        record=lambda t, a: told.append((t.span.text, a)),  # type: ignore[arg-type]
    )
    assert told == [("constant(w)", True), ("rank(w) == 3", False)]
