"""Norms, softmax and reductions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qdsl.verify.forms.ask import Ask, Form, Plan, Shape

EPSILONS = (0.125, 1e-5)
"""The first is large enough to be missed where a rule forgets it."""


def batch_norm(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    if len(x) < 2:
        return None
    axis = ask.pick("axis", [1, len(x) - 1])
    settings: dict[str, Any] = {
        "axis": axis,
        "epsilon": ask.pick("epsilon", EPSILONS),
        "training": ask.pick("training", [False, True]),
        **ask.pick("parts", [{}, {"scale": False}, {"center": False}]),
    }
    return Plan((x, *_vectors(ask, x[axis : axis + 1], 4)), settings, positive=frozenset({4}))


def _vectors(ask: Ask, shape: Shape, count: int) -> list[Shape]:
    return [ask.shape(i + 1) or shape for i in range(count)]


def layer_norm(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    axes = ask.pick("axes", [[-1], [len(x) - 2, len(x) - 1]]) if len(x) > 1 else [-1]
    shape = tuple(x[a] for a in axes)
    settings = {"axes": axes, "epsilon": ask.pick("epsilon", EPSILONS)}
    return Plan((x, *_vectors(ask, shape, 1 if ask.op == "nn.rms_norm" else 2)), settings)


def group_norm(ask: Ask) -> Plan | None:
    x = ask.shape(0) or (1, 4, 3, 5)
    if len(x) < 3:
        return None
    settings: dict[str, Any] = {"channel_axis": 1, "axes": list(range(2, len(x))), "epsilon": EPSILONS[0]}
    if ask.op == "nn.group_norm":
        settings["num_groups"] = 2 if x[1] % 2 == 0 else 1
    return Plan((x, *_vectors(ask, x[1:2], 2)), settings)


def softmax(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    return Plan((x,), {"axis": ask.pick("axis", [-1, 0 if len(x) < 2 else 1])})


def reduction(ask: Ask) -> Plan | None:
    """Means, sums, extremes: over the pixels, over the channels, over everything."""
    x = ask.shape(0) or ask.base()
    pixels = list(range(2, len(x))) or [len(x) - 1]
    options = [(pixels, False), (pixels, True), ([-1], True), ([1 if len(x) > 1 else 0], False), (None, False)]
    axis, keepdims = ask.pick("axis", options)
    return Plan((x,), {"axis": axis, "keepdims": keepdims})


FORMS: Mapping[str, Form] = {
    "nn.batch_norm": batch_norm,
    "nn.layer_norm": layer_norm,
    "nn.rms_norm": layer_norm,
    "nn.group_norm": group_norm,
    "nn.instance_norm": group_norm,
    "nn.softmax": softmax,
    "nn.log_softmax": softmax,
    **dict.fromkeys(("mean", "sum", "max", "min", "prod", "std", "variance"), reduction),
}
