"""Hard-swish in all its spellings as x * clip(x + 3, 0, 6) * (1/6).

PyTorch and ONNX write x * hardsigmoid(x) with hardsigmoid(x) = clip(x/6 + 1/2, 0, 1), Paddle x * clip(x + 3, 0, 6) / 6,
TVM's importer x * (clip(x + 3, 0, 6) / 6). With the factor last it is a change of scale.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.operands import constant, dtype_of, scalar_of


def hardswish(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    """x * h(x), where h is a hard sigmoid of the same x, on either side"""
    for x, gate in (call.args, call.args[::-1]):
        if _is_hard_sigmoid(gate, x, sweep):
            dtype = dtype_of(call)
            shifted = relax.op.add(x, constant(3, dtype))
            product = relax.op.multiply(x, relax.op.clip(shifted, 0.0, 6.0))
            return relax.op.multiply(product, constant(1 / 6, dtype))
    return None


def _is_hard_sigmoid(gate: relax.Expr, x: relax.Expr, sweep: Sweep) -> bool:
    scaled = sweep.definition(gate, "multiply")
    if scaled is not None and _near(scaled.args[1], 1 / 6):
        clip = sweep.definition(scaled.args[0], "clip")
        return clip is not None and _bounds(clip, 0, 6) and _is_sum(clip.args[0], x, 3, sweep)
    clip = sweep.definition(gate, "clip")
    if clip is None or not _bounds(clip, 0, 1):
        return False
    shifted = sweep.definition(clip.args[0], "add")
    if shifted is None or not _near(shifted.args[1], 0.5):
        return False
    product = sweep.definition(shifted.args[0], "multiply")
    return product is not None and product.args[0].same_as(x) and _near(product.args[1], 1 / 6)


def _is_sum(expr: relax.Expr, x: relax.Expr, number: float, sweep: Sweep) -> bool:
    add = sweep.definition(expr, "add")
    return add is not None and add.args[0].same_as(x) and _near(add.args[1], number)


def _bounds(clip: relax.Call, low: float, high: float) -> bool:
    return scalar_of(clip.args[1]) == low and scalar_of(clip.args[2]) == high


def _near(expr: relax.Expr, number: float) -> bool:
    """Equal within 2 units in the last place of float32."""
    value = scalar_of(expr)
    return value is not None and abs(value - number) <= 2 * float(np.spacing(np.float32(number)))


FORMS: dict[str, tuple[Form, ...]] = {"multiply": (hardswish,)}
