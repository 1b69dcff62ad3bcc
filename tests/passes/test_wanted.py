"""wanted(y), as the language words it: some reader will read y in an integer format."""

from __future__ import annotations

import pytest
from tvm import relax

from qdsl.match.book import make_book
from qdsl.match.graph import Graph
from qdsl.passes.claims import find_matches, possible
from qdsl.passes.wanted import wanted_values

from ..match.net import Net, nn
from .claims_rules import rules_of, taking

BEGINS = taking("begins", "y = tanh(x)")
PASSES_ON = taking("passes_on", "y = reshape(x)", "wanted(y)")
WHERE_QUANTIZED = taking("where_quantized", "y = sigmoid(x)", "quantized(x)")
LIKE = "rule copies\n match y = nn.relu(x)\n annotate y like x"
FLOAT = "rule float_reader\n match y = exp(x)\n annotate x as float\n y as act"
ANY = "rule any_reader\n match y = sqrt(x)\n annotate x as any\n y as wide"
NEVER = taking("never", "y = negative(x)", "rank(x) == 7")
SPLIT = "rule parts\n match parts... = split(x)\n when wanted(parts...)\n annotate x as act\n parts... like x"
JOIN = "rule join\n match y = concat([parts...])\n when wanted(y)\n annotate share parts..., y as act"
RULES = (BEGINS, PASSES_ON, WHERE_QUANTIZED, LIKE, FLOAT, ANY, NEVER, SPLIT, JOIN)

STEPS = {
    "tanh": relax.op.tanh,
    "reshape": lambda v: relax.op.reshape(v, (2, 6)),
    "sigmoid": relax.op.sigmoid,
    "relu": nn.relu,
    "exp": relax.op.exp,
    "sqrt": relax.op.sqrt,
    "negative": relax.op.negative,
}


def wanted_in(graph: Graph, *rules: str, skipped: frozenset[str] = frozenset()) -> set[str]:
    program = rules_of(*(rules or RULES)).program
    found = find_matches(graph, make_book(program.rules), lambda v: str(v.name) not in skipped)
    return {str(v.name) for v in wanted_values(graph, found, possible(graph, program.defs))}


def chain(*steps: str) -> Graph:
    net = Net()
    value = net.input(2, 6)
    for step in steps:
        value = net.emit(STEPS[step](value), step)
    return net.graph(value)


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (["tanh"], {"x"}),  # marks x with a format, and its guard asks nothing
        (["sqrt"], {"x"}),  # `any` is no float either
        (["exp"], set()),  # read in float
        (["negative"], set()),  # a rule that cannot fire wants nothing
        (["reshape"], set()),  # a model output wants nothing
        (["reshape", "tanh"], {"x", "reshape"}),
        (["reshape", "reshape", "reshape", "tanh"], {"x", "reshape", "reshape1", "reshape2"}),
        (["sigmoid"], set()),  # a guard that asks quantized() begins nothing
        (["sigmoid", "tanh"], {"x", "sigmoid"}),  # but passes on what its reader wants
        (["relu"], set()),  # like: as it stands
        (["relu", "tanh"], {"x", "relu"}),
        (["reshape", "relu", "sigmoid", "tanh"], {"x", "reshape", "relu", "sigmoid"}),
        (["reshape", "exp", "tanh"], {"exp"}),  # nothing passes through a float reader
        (["reshape", "negative", "tanh"], {"negative"}),
    ],
    ids=lambda v: "-".join(v) if isinstance(v, list) else "",
)
def test_chains(steps: list[str], wanted: set[str]) -> None:
    assert wanted_in(chain(*steps)) == wanted


def test_one_reader_of_several_is_enough() -> None:
    net = Net()
    r = net.emit(STEPS["reshape"](net.input(2, 6)), "r")
    graph = net.graph(r, net.emit(relax.op.exp(r), "e"), net.emit(relax.op.tanh(r), "t"))
    assert wanted_in(graph) == {"x", "r"}


def test_of_a_spread_one_is_enough() -> None:
    net = Net()
    whole = net.emit(relax.op.split(net.input(2, 6), 2, 1), "s")
    a, b = net.items(whole, 0, 1)
    graph = net.graph(net.emit(relax.op.tanh(a), "t"), net.emit(relax.op.exp(b), "e"))
    assert wanted_in(graph) == {"x", "s_0"}


def test_a_join_passes_on_to_all_its_parts() -> None:
    net = Net()
    x, v = net.input(2, 6), net.input(2, 6, name="v")
    graph = net.graph(net.emit(relax.op.tanh(net.emit(relax.op.concat([x, v], 1), "j")), "t"))
    assert wanted_in(graph) == {"x", "v", "j"}


def test_a_skipped_reader_wants_nothing() -> None:
    assert wanted_in(chain("reshape", "tanh"), skipped=frozenset({"tanh"})) == set()
    assert wanted_in(chain("reshape", "relu", "tanh"), skipped=frozenset({"relu"})) == {"relu"}


def test_what_lies_inside_a_match_wants_nothing_by_itself() -> None:
    """A match reads its boundary: the value between tanh and sigmoid is nobody's operand."""
    pair = taking("pair", "y = tanh(sigmoid(x))")
    assert wanted_in(chain("sigmoid", "tanh"), pair) == {"x"}
