"""Convolutions and matrix products."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qdsl.verify.forms.ask import Ask, Form, Plan, Shape

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


@dataclass(frozen=True)
class Variant:
    """One way in which a convolution is used."""

    inputs: int = 3
    outputs: int = 4
    groups: int = 1
    size: int = 5
    kernel: int = 3
    stride: int = 1
    padding: tuple[int, int] = (1, 1)
    """Before and after."""
    dilation: int = 1
    batch: int = 1
    data: str = "NC*"
    weight: str = ""
    """Empty: the operator's own layout."""


VARIANTS = (
    Variant(),
    Variant(inputs=3, outputs=3, padding=(0, 0)),
    Variant(stride=2, padding=(0, 1), size=6),
    Variant(inputs=4, outputs=6, groups=2),
    Variant(data="N*C", weight="*IO"),
    Variant(inputs=4, outputs=8, groups=4, padding=(2, 1)),
    Variant(data="N*C", weight="O*I", stride=2),
    Variant(inputs=2, outputs=3, kernel=1, padding=(0, 0), size=3, batch=2),
    Variant(dilation=2, padding=(2, 2)),
    Variant(inputs=1, outputs=1, size=3),
    Variant(inputs=1, outputs=2, size=1, kernel=1, padding=(0, 0)),
)
TINY = Variant(inputs=1, outputs=1, size=1, kernel=1, padding=(0, 0))
"""What a counterexample shrinks to."""
SMALL = Variant(inputs=1, outputs=2, size=3, kernel=3)


def convolution(ask: Ask) -> Plan | None:
    """Any nn.conv*d and nn.conv*d_transpose."""
    matched = re.fullmatch(r"nn\.conv([123])d(_transpose)?", ask.op)
    assert matched is not None
    dims, transposed = int(matched.group(1)), matched.group(2) is not None
    shrunk = ask.pick("size", [None, TINY, SMALL])
    variant = shrunk or ask.pick("variant", VARIANTS)
    if transposed and variant.weight:
        return None  # TVM lowers transposed convolutions in their own layout only
    data = variant.data.replace("*", SPATIAL[dims])
    own = "IO*" if transposed else "OI*"
    weight = (variant.weight or own).replace("*", SPATIAL[dims])
    sizes = {"N": variant.batch, "C": variant.inputs, **dict.fromkeys(SPATIAL[dims], variant.size)}
    if dims == 3:
        sizes["D"] = max(variant.size - 2, variant.kernel)
    groups = variant.groups
    known = ask.shape(0)
    if known is not None:
        if len(known) != dims + 2:
            return None
        sizes = dict(zip(data, known, strict=True))
        groups = groups if sizes["C"] % groups == 0 else 1
    outputs = variant.outputs if variant.outputs % groups == 0 else groups
    kernel: dict[str, int] = {"O": outputs, "I": sizes["C"] // groups}
    if transposed:
        kernel = {"O": outputs // groups, "I": sizes["C"]}
    for letter in SPATIAL[dims]:
        reach = sizes[letter] + sum(variant.padding)
        kernel[letter] = variant.kernel if (variant.kernel - 1) * variant.dilation < reach else 1
    before, after = variant.padding
    settings: dict[str, Any] = {
        "strides": [variant.stride] * dims,
        "padding": [before] * dims + [after] * dims,
        "dilation": [variant.dilation] * dims,
        "groups": groups,
        "data_layout": data,
        "kernel_layout": weight,
    }
    if transposed and variant.stride > 1:
        settings["output_padding"] = [1] * dims
    return Plan((tuple(sizes[a] for a in data), ask.shape(1) or tuple(kernel[a] for a in weight)), settings)


MATMULS: tuple[tuple[Shape, Shape], ...] = (
    ((3, 4), (4, 5)),
    ((1, 3, 4), (4, 5)),
    ((1, 3, 4), (1, 4, 5)),
    ((4, 4), (4, 4)),
    ((2, 2, 3, 4), (2, 2, 4, 3)),
    ((2, 4, 4), (4, 4)),
)
"""Shapes of the operands of a matmul."""


def matmul(ask: Ask) -> Plan | None:
    """Two matrices, or batches of them."""
    a, b = ask.shape(0), ask.shape(1)
    if a is not None and b is not None:
        return Plan((a, b))
    if a is not None:
        return Plan((a, ask.pick("right", [(a[-1], 5), (*a[:-2], a[-1], 5), (a[-1], a[-1])])))
    if b is not None:
        return Plan((ask.pick("left", [(*b[:-2], 3, b[-2]), (3, b[-2])]), b))
    options = [m for m in MATMULS if ask.hint(1).rank in (None, len(m[1])) and ask.hint(0).rank in (None, len(m[0]))]
    shrunk = ask.pick("size", [None, ((1, 1), (1, 1)), ((1, 2), (2, 2))])
    if shrunk is not None and ask.hint(1).rank in (None, 2) and ask.hint(0).rank in (None, 2):
        return Plan(shrunk)
    if not options:
        return None
    wanted = [m for m in options if ask.want is not None and len(m[0]) == len(ask.want)]
    return Plan(ask.pick("shapes", wanted or options))


FORMS: Mapping[str, Form] = {
    **{f"nn.conv{d}d{t}": convolution for d in SPATIAL for t in ("", "_transpose")},
    "matmul": matmul,
}
