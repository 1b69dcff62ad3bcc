"""When a value can be read as it stands, and where a channel axis goes in a move."""

from __future__ import annotations

import numpy as np

from qdsl.formats.format import Format, SchemeType
from qdsl.match.fields import call_field
from qdsl.match.found import Match


def satisfies(format: Format, scheme: SchemeType) -> bool:
    """Whether a value in this format can be read as it is where a scheme is asked for."""
    same = format.dtype == scheme.dtype and format.scheme.used_bits == scheme.used_bits
    per_tensor = format.axis is None or scheme.per_channel
    centred = not scheme.symmetric or format.zero == scheme.zero_for_symmetric
    shifts = format.scheme.pow2 or not scheme.pow2
    return same and per_tensor and centred and shifts


def can_share(format: Format, scheme: SchemeType) -> bool:
    """Whether a value in this format can have one calibrated scale with others of a scheme."""
    return satisfies(format, scheme) and format.scheme.pow2 == scheme.pow2


def trace_axis(match: Match, axis: int, before: tuple[int, ...] | None, after: tuple[int, ...] | None) -> int | None:
    """Where an axis goes in a move: by the permutation, else by the sizes in front of it staying as they are."""
    call = match.places[match.results[0]].call
    if match.compiled.root.op == "permute_dims":
        axes = call_field(call, "axes")
        order = list(axes) if axes is not None else list(range(len(before or ())))[::-1]
        return order.index(axis) if axis in order else None
    if before is None or after is None:
        return None
    ahead = int(np.prod(before[:axis]))
    for position, size in enumerate(after):
        if int(np.prod(after[:position])) == ahead and size == before[axis]:
            return position
    return None
