"""Axis letters: which letter of a layout each axis of an operator's operand or result has.

Convolutions and pools say so in their attributes (data_layout, kernel_layout, layout, out_layout). A product of
matrices has M, K and N on its last two axes. A norm or prelu with an `axis` attribute has C there. No other operator
has letters. An axis without a letter is written as a dot, so that a letter's place in the text is the axis' number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from qdsl.ops.operator import Operator
from qdsl.ops.table import lookup

_CONVOLUTION = re.compile(r"nn\.conv[123]d(_transpose)?")
_CHANNEL_AXIS = {
    "nn.batch_norm": "axis",
    "nn.prelu": "axis",
    "nn.group_norm": "channel_axis",
    "nn.instance_norm": "channel_axis",
}
_BLOCK = re.compile(r"\d+[a-z]|[A-Z]|[.*]")


def operand_layout(
    op: Operator | str, operand: int | str, attrs: Mapping[str, object] | None = None, rank: int | None = None
) -> str | None:
    """The layout of an operand (by index) or of the "result", such as "NCHW", "OIHW", "MK", ".MK", "NCHW4c", ".C..".

    `attrs` are the call's attributes, None or absent ones at their defaults; `rank` is the value's own rank, where
    known. Without it the axes that a matmul batches over and those around a norm's C are one "*": "*MK", ".C*". None:
    the operator gives that value no letters (or has not that many operands).
    """
    known = lookup(op) if isinstance(op, str) else op
    if known is None:
        return None
    given = {a.name: a.default for a in known.attributes}
    given.update({k: v for k, v in (attrs or {}).items() if v is not None})
    if _CONVOLUTION.fullmatch(known.name):
        return _convolution(operand, given)
    if known.name == "matmul":
        return _matmul(operand, rank)
    if known.name in _CHANNEL_AXIS:
        return _channels(operand, given.get(_CHANNEL_AXIS[known.name], 1), rank)
    if "layout" in given and operand in (0, "result"):
        return _text(given.get("out_layout") if operand == "result" else None) or _text(given["layout"])
    return None


def _convolution(operand: int | str, attrs: Mapping[str, object]) -> str | None:
    if operand == 1:
        return _text(attrs["kernel_layout"])
    if operand == "result":
        return _text(attrs.get("out_layout")) or _text(attrs["data_layout"])
    return _text(attrs["data_layout"]) if operand == 0 else None


def _matmul(operand: int | str, rank: int | None) -> str | None:
    letters = {0: "MK", 1: "KN", "result": "MN"}.get(operand)
    if letters is None or rank == 0:
        return None
    if rank == 1:
        # A vector is summed over; of a vector result nobody can tell whether M or N is left.
        return None if operand == "result" else "K"
    return ("*" if rank is None else "." * (rank - 2)) + letters


def _channels(operand: int | str, axis: object, rank: int | None) -> str | None:
    if operand not in (0, "result"):
        return "C"
    if not isinstance(axis, int):
        return None
    if rank is None:
        return "." * axis + "C*" if axis >= 0 else "*C" + "." * (-1 - axis)
    position = axis % rank if rank and -rank <= axis < rank else None
    return None if position is None else "." * position + "C" + "." * (rank - 1 - position)


def _text(value: object) -> str | None:
    return str(value) if value else None


def axes_of(layout: str) -> tuple[str, ...]:
    """The axes of a layout in order: "NCHW4c" -> ("N", "C", "H", "W", "4c")."""
    return tuple(_BLOCK.findall(layout))


def axis_of(layout: str | None, letter: str) -> int | None:
    """The number of the axis that has the letter: from the front, or negative where leading axes are not known ("*MK").

    None where the layout has no such letter, or splits it into blocks (NCHW4c has two axes of C).
    """
    axes = axes_of(layout or "")
    if letter not in axes or any(a.endswith(letter.lower()) and a[0].isdigit() for a in axes):
        return None
    position = axes.index(letter)
    return position - len(axes) if axes[0] == "*" else position


def letters_of(layout: str | None) -> tuple[str, ...]:
    """The letters that may be written for an axis of the layout."""
    return tuple(a for a in axes_of(layout or "") if a.isalpha())
