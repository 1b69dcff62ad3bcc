"""Pools: windows that overlap, reach over the border, do not divide the size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qdsl.verify.forms.ask import Ask, Form, Plan

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


@dataclass(frozen=True)
class Variant:
    """One way in which a pool is used."""

    size: int = 6
    window: int = 2
    stride: int = 2
    padding: tuple[int, int] = (0, 0)
    ceil: bool = False
    count_border: bool = False
    last: bool = False
    """Channels come last."""


VARIANTS = (
    Variant(),
    Variant(size=5, window=3, stride=1, padding=(1, 1)),
    Variant(size=5, window=3, stride=2, padding=(1, 1), count_border=True),
    Variant(size=5, window=3, stride=2, padding=(0, 1), last=True),
    Variant(size=5, window=2, stride=2, ceil=True),
)
TINY = Variant(size=2)


def pool(ask: Ask) -> Plan | None:
    """nn.max_pool*d and nn.avg_pool*d."""
    dims = _dims(ask.op)
    variant = ask.pick("size", [None, TINY]) or ask.pick("variant", VARIANTS)
    layout = ("N*C" if variant.last else "NC*").replace("*", SPATIAL[dims])
    channels = 1 if variant is TINY else 2
    sizes = {"N": 1, "C": channels, **dict.fromkeys(SPATIAL[dims], variant.size)}
    known = ask.shape(0)
    if known is not None and len(known) != dims + 2:
        return None
    shape = known or tuple(sizes[a] for a in layout)
    before, after = variant.padding
    settings: dict[str, Any] = {
        "pool_size": [variant.window] * dims,
        "strides": [variant.stride] * dims,
        "padding": [before] * dims + [after] * dims,
        "ceil_mode": variant.ceil,
        "count_include_pad": variant.count_border,
        "layout": layout,
    }
    return Plan((shape,), settings)


def adaptive(ask: Ask) -> Plan | None:
    """nn.adaptive_avg_pool*d: windows of different sizes where the size does not divide."""
    dims = _dims(ask.op)
    size, output, last = ask.pick("variant", [(5, 2, False), (4, 1, False), (6, 3, False), (5, 2, True)])
    layout = ("N*C" if last else "NC*").replace("*", SPATIAL[dims])
    known = ask.shape(0)
    if known is not None and len(known) != dims + 2:
        return None
    sizes = {"N": 1, "C": 2, **dict.fromkeys(SPATIAL[dims], size)}
    return Plan((known or tuple(sizes[a] for a in layout),), {"output_size": [output] * dims, "layout": layout})


def _dims(op: str) -> int:
    found = re.search(r"([123])d$", op)
    assert found is not None
    return int(found.group(1))


FORMS: Mapping[str, Form] = {
    **{f"nn.{kind}_pool{d}d": pool for kind in ("max", "avg") for d in SPATIAL},
    **{f"nn.adaptive_avg_pool{d}d": adaptive for d in SPATIAL},
}
