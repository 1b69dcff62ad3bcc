"""A zero pad of the spatial axes before a convolution is the convolution's own padding.

    conv(pad(x, p, 0), padding=q)           =  conv(x, padding=p + q)
    conv(permute(pad(x, p, 0)), padding=q)  =  conv(permute(x), padding=permute(p) + q)

Frameworks that pad like TensorFlow export a Pad before every strided convolution.
"""

from __future__ import annotations

from collections.abc import Callable

from tvm import relax

from qdsl.load.canonical.sweep import Form, Sweep
from qdsl.load.canonical.transposes import permutation_of
from qdsl.load.operands import attributes_of

_CONVOLUTIONS: dict[str, Callable[..., relax.Expr]] = {
    "nn.conv1d": relax.op.nn.conv1d,
    "nn.conv2d": relax.op.nn.conv2d,
    "nn.conv3d": relax.op.nn.conv3d,
}


def _absorb(make: Callable[..., relax.Expr]) -> Form:
    def form(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
        found = permutation_of(call.args[0], sweep)
        padded, axes = found or (call.args[0], list(range(int(call.args[0].ty.ndim))))
        pad = sweep.definition(padded, "nn.pad")
        if pad is None or str(pad.attrs.pad_mode) != "constant" or float(pad.attrs.pad_value) != 0:
            return None
        attributes = attributes_of(call)
        widths = [int(width) for width in pad.attrs.pad_width]
        added = _spatial([(widths[2 * axis], widths[2 * axis + 1]) for axis in axes], str(attributes["data_layout"]))
        if added is None:
            return None
        own = [int(width) for width in attributes.pop("padding")]
        padding = [more + width for more, width in zip(added, own, strict=True)]
        x = pad.args[0]
        if found is not None:
            moved = relax.op.permute_dims(x, axes)
            x = relax.Call(moved.op, moved.args, moved.attrs, span=sweep.span_of(call.args[0]))
        return make(x, call.args[1], padding=padding, **attributes)

    return form


def _spatial(pairs: list[tuple[int, int]], layout: str) -> list[int] | None:
    """All widths before, then all after, of the spatial axes; None where another axis is padded or split up."""
    if not layout.isupper():
        return None
    spatial = [pair for pair, letter in zip(pairs, layout, strict=True) if letter in "DHW"]
    if any(any(pair) for pair, letter in zip(pairs, layout, strict=True) if letter not in "DHW"):
        return None
    return [before for before, _ in spatial] + [after for _, after in spatial]


FORMS: dict[str, tuple[Form, ...]] = {name: (_absorb(make),) for name, make in _CONVOLUTIONS.items()}
