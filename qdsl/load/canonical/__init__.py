"""Canonical forms: one way to write each thing, so that a rule needs one pattern.

After `canonicalize`, whatever wrote the model:

- no operator reads only constants: it has become a constant, of the exact shape (0-d stays 0-d)
- of two operands of add, multiply, maximum, minimum the constant one comes second
- `x - c` is `x + (-c)` and `x / c` is `x * (1/c)` for a constant c
- a bound on both sides is `clip`, a lower bound of 0 alone is `nn.relu`, with the bounds as float numbers
- the largest, least or sum of several tensors is a chain of `maximum`, `minimum`, `add`
- hard-swish is `multiply(multiply(x, clip(x + 3, 0, 6)), 1/6)`
- padding is `nn.pad`, and zeros before a convolution are its own padding
- kernels that TVM's importer emits for maximum, minimum and pad are those operators again
- axes count from the front, except that the last one alone is -1 for softmax and reductions
- transposes stand behind the elementwise operators, reductions, pads and concats that read them, pairs of them are gone
- moves that change nothing (same-shape reshapes, casts to the same dtype, ...), dropout, aliases and dead code are gone

Every form keeps the value, up to the rounding of the constants it computes.
"""

from __future__ import annotations

from qdsl.load.canonical import arithmetic, axes, bounds, hardswish, kernels, moves, padding, transposes, variadic
from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.draft import Draft, without_dead

FORMS: dict[str, tuple[Form, ...]] = {}
for _module in (kernels, moves, axes, arithmetic, variadic, bounds, hardswish, transposes, padding):
    for _name, _forms in _module.FORMS.items():
        FORMS[_name] = FORMS.get(_name, ()) + _forms


def canonicalize(draft: Draft) -> Draft:
    """The draft in canonical form: one sweep in program order, then dead code removed. Cost is linear."""
    return without_dead(Sweep(FORMS, draft).run())
