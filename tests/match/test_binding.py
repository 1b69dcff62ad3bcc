"""Single forms of a match clause, each on a graph made for it: what is found, what the names stand for, what a near
miss says."""

from __future__ import annotations

import pytest
from tvm import relax

from qdsl.match.found import Failure, Match
from qdsl.match.graph import Graph, is_constant

from .net import Net, named, nn
from .patterns import book_of


def matches(graph: Graph, root: str, clause: str, when: str = "") -> list[Match]:
    book, compiled = book_of(clause, when)
    var = named(graph, root)
    return list(book.matches(graph, compiled, var)) if book.at(graph, var) else []


def captured(match: Match) -> dict[str, str]:
    """Each name with the variable it stands for, or "constant"."""
    names = {
        n: [str(v.name) if isinstance(v, relax.Var) else "constant" for v in match.values(n)] for n in match.captures
    }
    return {n: " ".join(values) for n, values in names.items()}


def missed(graph: Graph, root: str, clause: str) -> str:
    book, compiled = book_of(clause)
    miss = book.near_miss(graph, compiled, named(graph, root))
    assert isinstance(miss, Failure)
    return miss.message


@pytest.fixture(scope="module")
def gate() -> Graph:
    """s = sigmoid(c); m = s * c; a = m + bias; r = relu6(a), with c a convolution that has a second reader."""
    net = Net()
    x = net.input(1, 4, 5, 5)
    c = net.conv(x, 4, 3, "c", strides=2)
    s = net.emit(relax.op.sigmoid(c), "s")
    m = net.emit(relax.op.multiply(s, c), "m")
    a = net.emit(relax.op.add(net.const(1, 4, 1, 1), m), "a")
    r = net.emit(relax.op.clip(a, 0, 6), "r")
    d = net.emit(relax.op.add(m, m), "d")
    return net.graph(r, d)


@pytest.mark.parametrize("clause", ["y = multiply{x, sigmoid(x)}", "y = multiply{sigmoid(x), x}"])
def test_both_orders_of_a_commutative_operator(gate: Graph, clause: str) -> None:
    (match,) = matches(gate, "m", clause)
    assert captured(match) == {"x": "c", "y": "m"}
    assert [str(v.name) for v in match.interior] == ["s"]


def test_the_written_order_is_the_only_one_in_parentheses(gate: Graph) -> None:
    assert matches(gate, "m", "y = multiply(sigmoid(x), x)")
    assert not matches(gate, "m", "y = multiply(x, sigmoid(x))")


def test_the_value_computed_later_comes_first(gate: Graph) -> None:
    net = Net()
    x = net.input(1, 4, 4, 4)
    early = net.conv(x, 4, name="early")
    late = net.conv(x, 4, name="late")
    graph = net.graph(net.emit(relax.op.add(early, late), "ab"), net.emit(relax.op.add(late, early), "ba"))
    for root in ("ab", "ba"):
        assert [captured(m)["a"] for m in matches(graph, root, "y = add{a, b}")] == ["late", "early"]


def test_a_constant_comes_second_of_two(gate: Graph) -> None:
    first, second = matches(gate, "a", "y = add{x, b}")
    assert (captured(first)["b"], captured(second)["x"]) == ("constant", "constant")


def test_the_same_value_twice_is_one_order(gate: Graph) -> None:
    assert [captured(m) for m in matches(gate, "d", "y = add{a, b}")] == [{"a": "m", "b": "m", "y": "d"}]


def test_a_name_seen_twice_is_one_value(gate: Graph) -> None:
    assert matches(gate, "d", "y = add(a, a)")
    assert not matches(gate, "m", "y = multiply(a, a)")


def test_a_name_under_another_commutative_operator(gate: Graph) -> None:
    """TVM's matcher takes the first order of the inner sum and does not come back to it."""
    for order in (lambda p, q: (p, q), lambda p, q: (q, p)):
        net = Net()
        x, v = net.input(1, 2, 3, 3), net.input(1, 2, 3, 3)
        inner = net.emit(relax.op.add(*order(x, v)), "inner")
        graph = net.graph(net.emit(relax.op.concat([inner, x], 1), "y"))
        (match,) = matches(graph, "y", "s = add{a, b}\n          y = concat([s, a])")
        assert captured(match) == {"a": "x", "b": "x1", "s": "inner", "y": "y"}


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("y = clip(x, 0, 6)", True),
        ("y = clip(x, 0, 6.0000004)", True),  # within 2 float32 ulp
        ("y = clip(x, 0, 6.00001)", False),
        ("y = clip(x, low, high)", True),
        ("y = clip(x)", True),
        ("y = clip(x, -1)", False),
    ],
)
def test_number_operands(gate: Graph, clause: str, found: bool) -> None:
    assert bool(matches(gate, "r", clause)) is found


def test_number_operands_are_captured_as_numbers(gate: Graph) -> None:
    (match,) = matches(gate, "r", "y = clip(x, low, high)", "constant(low, high)")
    assert set(match.captures) == {"x", "low", "high", "y"}


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("y = nn.conv2d(x, w, strides=[2, 2])", True),
        ("y = nn.conv2d(x, w, strides=[1, 1])", False),
        ("y = nn.conv2d(x, w, groups=1, data_layout='NCHW')".replace("'", '"'), True),
        ("y = nn.conv2d(x, w, data_layout='NHWC')".replace("'", '"'), False),
    ],
)
def test_attributes(gate: Graph, clause: str, found: bool) -> None:
    assert bool(matches(gate, "c", clause)) is found


def test_a_constant_operand_may_not_be_left_out(gate: Graph) -> None:
    assert not matches(gate, "c", "y = nn.conv2d(x)")
    assert missed(gate, "c", "y = nn.conv2d(x)") == "nn.conv2d has further tensor operands here"


@pytest.fixture(scope="module")
def several() -> Graph:
    """A norm, a split of three whose middle result nobody reads, and a join of the other two."""
    net = Net()
    x = net.input(1, 6, 4, 4)
    n = net.batch_norm(x, "norm")
    first, last = net.items(net.emit(relax.op.split(n, 3, 1), "thirds"), 0, 2)
    join = net.emit(relax.op.concat([last, first], 1), "join")
    return net.graph(join, net.emit(nn.relu(first), "r"))


def test_results_by_position(several: Graph) -> None:
    (match,) = matches(several, "norm", "y, _, _ = nn.batch_norm(x, g, b, m, v)")
    assert captured(match)["y"] == "norm_0"
    assert all(is_constant(match.value(n)) for n in "gbmv")
    assert match.boundary == ("x", "g", "b", "m", "v")
    assert not matches(several, "norm", "_, y, _ = nn.batch_norm(x, g, b, m, v)")
    message = missed(several, "norm", "y, mean, _ = nn.batch_norm(x, g, b, m, v)")
    assert message == "result 1 of nn.batch_norm is not used"


def test_an_unused_result_has_to_be_unused(several: Graph) -> None:
    assert not matches(several, "thirds", "a, _, _ = split(x)")
    assert missed(several, "thirds", "a, _, _ = split(x)") == "result 2 of split is used"


def test_a_spread_of_results_is_those_that_are_read(several: Graph) -> None:
    (match,) = matches(several, "thirds", "parts... = split(x)")
    assert captured(match) == {"x": "norm_0", "parts": "thirds_0 thirds_2"}


def test_results_below_the_root(several: Graph) -> None:
    (match,) = matches(several, "thirds", "n, _, _ = nn.batch_norm(x, g, b, m, v)\n          parts... = split(n)")
    assert captured(match)["n"] == "norm_0"
    assert {str(v.name) for v in match.interior} == {"norm", "norm_0", "thirds_0", "thirds_2"}


@pytest.mark.parametrize(
    ("clause", "names"),
    [
        ("y = concat([parts...])", {"parts": "thirds_2 thirds_0", "y": "join"}),
        ("y = concat([a, b])", {"a": "thirds_2", "b": "thirds_0", "y": "join"}),
        ("y = concat([a, a])", None),
        ("y = concat([a, b, c])", None),
    ],
)
def test_lists(several: Graph, clause: str, names: dict[str, str] | None) -> None:
    assert [captured(m) for m in matches(several, "join", clause)] == ([names] if names else [])


def test_near_misses_name_the_deepest_step(gate: Graph) -> None:
    assert missed(gate, "m", "y = multiply{x, tanh(x)}") == "expected tanh, found nn.conv2d"
    assert missed(gate, "a", "y = add{multiply{x, sigmoid(x)}, 3}") == "expected 3, found no single number"
    assert missed(gate, "r", "y = clip(x, 0, 3)") == "expected 3, found 6"
    assert missed(gate, "c", "y = nn.conv2d(x, w, groups=2)") == "expected groups=2, found 1"
    assert missed(gate, "c", "y = nn.conv2d(nn.relu(x), w)") == "expected nn.relu, found an input or a constant"
