"""A match of several operators claims its inside; of several claims the largest goes first; what is refused gives its
operators back, in order."""

from __future__ import annotations

import pytest
from tvm import IRModule, relax

from ..match.net import Net, nn
from .claims_rules import owners, plan_of, taking

RELU = taking("one_relu", "y = nn.relu(x)")
SIGMOID = taking("one_sigmoid", "y = sigmoid(x)")
TANH = taking("one_tanh", "y = tanh(x)")
LOW = taking("low", "y = sigmoid(nn.relu(x))", overrides="one_sigmoid")
HIGH = taking("high", "y = tanh(sigmoid(x))", overrides="one_tanh")
ALL = taking("all", "y = tanh(sigmoid(nn.relu(x)))", overrides="one_tanh, high")
NEVER = "quantized(x)"


@pytest.fixture(scope="module")
def chain() -> IRModule:
    """relu -> sigmoid -> tanh, each with one reader."""
    net = Net()
    r = net.emit(nn.relu(net.input(1, 4)), "r")
    return net.module(net.emit(relax.op.tanh(net.emit(relax.op.sigmoid(r), "s")), "t"))


def refused(text: str) -> str:
    """The same rule with a guard that only the sweep can answer, and that does not hold."""
    return text.replace("\n    annotate", f"\n    when {NEVER}\n    annotate")


def test_each_operator_by_itself(chain: IRModule) -> None:
    assert owners(plan_of(chain, RELU, SIGMOID, TANH)) == {"r": "one_relu", "s": "one_sigmoid", "t": "one_tanh"}


def test_the_largest_claim_goes_first(chain: IRModule) -> None:
    plan = plan_of(chain, RELU, SIGMOID, TANH, LOW, HIGH, ALL)
    assert owners(plan) == {"r": "all", "s": "all", "t": "all"}


@pytest.mark.parametrize("order", [(LOW, HIGH), (HIGH, LOW)])
def test_of_two_as_large_the_first_in_the_program(chain: IRModule, order: tuple[str, str]) -> None:
    plan = plan_of(chain, RELU, SIGMOID, TANH, *order)
    assert owners(plan) == {"r": "low", "s": "low", "t": "one_tanh"}


def test_a_refused_claim_gives_its_operators_back_in_order(chain: IRModule) -> None:
    plan = plan_of(chain, RELU, SIGMOID, TANH, refused(ALL))
    assert list(owners(plan).items()) == [("r", "one_relu"), ("s", "one_sigmoid"), ("t", "one_tanh")]
    (attempt,) = (a for d in plan.decisions for a in d.attempts if a.rule == "all")
    assert attempt.term == NEVER


def test_smaller_claims_come_after_the_refused_one(chain: IRModule) -> None:
    assert owners(plan_of(chain, RELU, SIGMOID, TANH, LOW, refused(ALL))) == {"r": "low", "s": "low", "t": "one_tanh"}
    assert owners(plan_of(chain, RELU, SIGMOID, TANH, HIGH, refused(ALL))) == {
        "r": "one_relu",
        "s": "high",
        "t": "high",
    }
    assert owners(plan_of(chain, RELU, SIGMOID, TANH, refused(LOW), HIGH)) == {
        "r": "one_relu",
        "s": "high",
        "t": "high",
    }


def test_what_a_match_reads_is_decided_before_it() -> None:
    """`high` and `low` meet at the sigmoid; `longer` goes first and reads the relu, which then has its own format."""
    net = Net()
    r = net.emit(nn.relu(net.input(1, 4)), "r")
    t = net.emit(relax.op.tanh(net.emit(relax.op.sigmoid(r), "s")), "t")
    chain = net.module(net.emit(relax.op.negative(t), "n"))
    longer = taking("longer", "y = negative(tanh(sigmoid(x)))", "quantized(x)")
    plan = plan_of(chain, RELU, SIGMOID, TANH, LOW, longer)
    assert owners(plan) == {"r": "one_relu", "s": "longer", "t": "longer", "n": "longer"}


def test_a_second_reader_keeps_an_operator_out_of_a_match() -> None:
    net = Net()
    r = net.emit(nn.relu(net.input(1, 4)), "r")
    s = net.emit(relax.op.sigmoid(r), "s")
    module = net.module(net.emit(relax.op.tanh(s), "t"), net.emit(relax.op.negative(s), "n"))
    plan = plan_of(module, RELU, SIGMOID, TANH, HIGH)
    assert owners(plan) == {"r": "one_relu", "s": "one_sigmoid", "t": "one_tanh", "n": None}
    told = next(a.reason for d in plan.decisions for a in d.attempts if a.rule == "high")
    assert told == "s, inside the match, is read outside of it too"


def test_an_output_is_a_reader_too(chain: IRModule) -> None:
    net = Net()
    s = net.emit(relax.op.sigmoid(net.input(1, 4)), "s")
    module = net.module(net.emit(relax.op.tanh(s), "t"), s)
    assert owners(plan_of(module, SIGMOID, TANH, HIGH)) == {"s": "one_sigmoid", "t": "one_tanh"}


def test_two_matches_that_touch_both_fire() -> None:
    """r1 = relu(add(tanh(x), x)); r2 = relu(add(tanh(r1), r1)): the second reads what the first makes."""
    net = Net()
    value = net.input(1, 4)
    for i in (1, 2):
        total = net.emit(relax.op.add(net.emit(relax.op.tanh(value), f"t{i}"), value), f"a{i}")
        value = net.emit(nn.relu(total), f"r{i}")
    plan = plan_of(net.module(value), taking("block", "y = nn.relu(add(tanh(x), x))"))
    assert set(owners(plan).values()) == {"block"}
    assert [str(v.name) for v in plan.firings] == ["r1", "r2"]


@pytest.mark.parametrize("skip", ["r", "s", "t"])
def test_a_skipped_operator_belongs_to_no_match(chain: IRModule, skip: str) -> None:
    plan = plan_of(chain, RELU, SIGMOID, TANH, LOW, HIGH, ALL, skip=(skip,))
    expected = {
        "r": {"r": None, "s": "high", "t": "high"},
        "s": {"r": "one_relu", "s": None, "t": "one_tanh"},
        "t": {"r": "low", "s": "low", "t": None},
    }[skip]
    assert owners(plan) == expected


def test_overriding_rules_come_first_and_a_refused_one_makes_way(chain: IRModule) -> None:
    general = taking("general", "y = tanh(x)")
    special = taking("special", "y = tanh(x)", overrides="general")
    more = taking("more", "y = tanh(x)", "rank(x) == 3", overrides="special")
    for order in ([general, special, more], [more, special, general], [special, more, general]):
        assert owners(plan_of(chain, *order))["t"] == "special"
    plan = plan_of(chain, general, special, more)
    assert [a.rule for a in plan.decisions[-1].attempts] == ["more", "special"]
