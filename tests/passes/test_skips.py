"""Any operator can be left in float, by name, kind, index or pattern, and the module stays legal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from tvm import IRModule, relax

from qdsl.config import QConfig
from qdsl.errors import ConfigError
from qdsl.passes.rebuild import main_graph
from qdsl.session import stages

from ..match.examples import examples
from ..match.net import Net, constant, nn, operators
from .claims_rules import rules_of
from .forced import compare
from .interpreter import outputs
from .networks import networks
from .staged import samples_for, staged, stock


def block() -> IRModule:
    """stem/conv -> stem/relu -> body/conv -> add(stem/relu) -> body/relu -> mean -> head (1x1)."""
    net = Net()
    r = net.emit(nn.relu(net.conv(net.input(1, 4, 6, 6), 4, 3, "stem/conv")), "stem/relu")
    c = net.conv(r, 4, 3, "body/conv")
    s = net.emit(nn.relu(net.emit(relax.op.add(c, r), "body/add")), "body/relu")
    m = net.emit(relax.op.mean(s, [2, 3], keepdims=True), "mean")
    return net.module(net.conv(m, 5, name="head"))


BLOCK = block()
OPERATORS = [str(b.var.name) for b in main_graph(BLOCK).bindings]


def outcomes(module: IRModule, **options: object) -> dict[str, str]:
    plan = stages.annotate(module, stock(), QConfig(**options)).plan  # type: ignore[arg-type]
    return {d.var: d.outcome for d in plan.decisions}


def skipped(**options: object) -> set[str]:
    return {var for var, outcome in outcomes(BLOCK, **options).items() if outcome == "skipped"}


def test_nothing_is_skipped_unasked() -> None:
    assert set(outcomes(BLOCK).values()) == {"quantized"}


@pytest.mark.parametrize("name", OPERATORS)
def test_each_operator_by_itself(name: str) -> None:
    """What is skipped computes in float on what the integers say, and the rest stays within a step of it."""
    config = QConfig(skip=(name,))
    made = staged(BLOCK, samples_for(BLOCK), config)
    assert made.decision(name).outcome == "skipped"
    assert made.decision(name).reason == f"skipped by the configuration: skip = {name!r}"
    relax.analysis.well_formed(made.integer)
    float_operator = next(b.value.op.name for b in main_graph(BLOCK).bindings if str(b.var.name) == name)
    kept = [b.value for b in main_graph(made.integer).bindings if getattr(b.value, "op", None) is not None]
    assert any(c.op.name == float_operator and str(c.ty.dtype) == "float32" for c in kept)
    for sample in samples_for(BLOCK):
        assert all(c.steps <= 1 for c in compare(made.simulated, made.rules, sample))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"skip": ("stem/*",)}, {"stem/conv", "stem/relu"}),
        ({"skip": ("*/relu", "mean")}, {"stem/relu", "body/relu", "mean"}),
        ({"skip": ("nn.conv2d",)}, {"stem/conv", "body/conv", "head"}),
        ({"skip": ("nn.c*",)}, {"stem/conv", "body/conv", "head"}),
        ({"skip_conv_layers": (0,)}, {"stem/conv"}),
        ({"skip_conv_layers": (1, 2)}, {"body/conv", "head"}),
        ({"skip_dense_layer": True}, set()),
    ],
)
def test_by_name_by_kind_and_by_index(options: dict[str, object], names: set[str]) -> None:
    assert skipped(**options) == names


def test_dense_layers_can_be_skipped_together() -> None:
    net = Net()
    y = net.emit(relax.op.matmul(net.input(2, 6), net.const(6, 3)), "dense")
    assert outcomes(net.module(y), skip_dense_layer=True) == {"dense": "skipped"}


def test_everything_skipped_is_the_float_model() -> None:
    made = staged(BLOCK, samples_for(BLOCK), QConfig(skip=("*",)))
    assert operators(made.integer) == operators(BLOCK)
    sample = samples_for(BLOCK)[0]
    np.testing.assert_array_equal(outputs(made.integer, sample)[0], outputs(BLOCK, sample)[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"skip": ("stem/cnov",)},
            "no operator of the model is called or matches 'stem/cnov'; did you mean 'stem/conv'?",
        ),
        ({"skip": ("nn.conv3d",)}, "no operator of the model is called or matches 'nn.conv3d'"),
        ({"skip_conv_layers": (0, 3)}, "there is no convolution 3; the model has 3"),
    ],
)
def test_a_skip_that_hits_nothing_is_an_error(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match="skip") as error:
        outcomes(BLOCK, **options)
    assert message in str(error.value)


SKIPS = """
skip nn.conv2d(x, w) when size(w, H) == 1
    because "a head is small"
skip at "stem/*"
    because "the stem is delicate"
skip nn.conv2d(nn.relu(x), w)
    because "never here"
skip tanh(x)
    because "no such thing"
"""


def test_skips_of_rule_files() -> None:
    stock_items = "\n".join(
        "\n".join(line for line in s.text.splitlines() if not line.startswith(("use", "scheme")))
        for s in stock().program.sources.values()
    )
    decided = stages.annotate(BLOCK, rules_of(SKIPS, stock_items), QConfig())
    reasons = {d.var: d.reason for d in decided.plan.decisions if d.outcome == "skipped"}
    assert reasons == {
        "head": "skipped by a rule file: a head is small",
        "stem/conv": "skipped by a rule file: the stem is delicate",
        "stem/relu": "skipped by a rule file: the stem is delicate",
        "body/conv": "skipped by a rule file: never here",
    }
    assert [i.because for i in decided.skips.idle] == ["no such thing"]


@examples(20)
@given(st.data())
def test_any_operators_of_any_network(data: st.DataObject) -> None:
    module = data.draw(networks())
    names = [str(b.var.name) for b in main_graph(module).bindings if isinstance(b.value, relax.Call)]
    chosen = tuple(data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)))
    note(str(module))
    note(str(chosen))
    samples = samples_for(module)
    made = staged(module, samples, QConfig(skip=chosen, fold_batch_norm=False))
    relax.analysis.well_formed(made.integer)
    assert all(c.steps <= 1 for c in compare(made.simulated, made.rules, samples[0]))


def test_one_operator_of_a_pattern_switched_off() -> None:
    """x * sigmoid(x) is one curve; without its sigmoid the product finds a rule of its own, or none."""
    net = Net()
    c = net.conv(net.input(1, 4, 5, 5), 4, 3, "c")
    y = net.emit(relax.op.multiply(c, net.emit(relax.op.sigmoid(c), "gate")), "y")
    module = net.module(net.conv(net.emit(relax.op.multiply(y, constant(0.5)), "half"), 4, name="last"))
    made = staged(module, samples_for(module), QConfig(skip=("gate",)))
    assert made.decision("gate").outcome == "skipped"
    assert any(a.reason == "gate, inside the match, is skipped" for a in made.decision("y").attempts)
    assert all(c.steps <= 1 for c in compare(made.simulated, made.rules, samples_for(module)[0]))
