"""What stands behind the `=` of a scheme: a dtype and flags that may not contradict each other."""

from __future__ import annotations

import re

from qdsl.lang.nearest import nearest
from qdsl.lang.pieces import Refusal
from qdsl.lang.quote import quote
from qdsl.lang.source import Span

DTYPES = ("int4", "uint4", "int8", "uint8", "int16", "uint16", "int32")
"""Suggested to those who misspell one; which of them a backend takes is the checker's business."""

OPPOSITES = {
    "symmetric": "asymmetric",
    "asymmetric": "symmetric",
    "per_tensor": "per_channel",
    "per_channel": "per_tensor",
}
FLAGS = (*OPPOSITES, "narrow", "pow2")

WIDTH = re.compile(r"(?:u?int|b?float)(\d+)")


def read_flags(
    dtype: str, dtype_span: Span, written: list[tuple[str | int, Span]]
) -> tuple[tuple[tuple[str, Span], ...], int | None]:
    """(flags with their spans as written, bits). Raises Refusal for an unknown or contradictory one."""
    _known_dtype(dtype, dtype_span)
    flags: list[tuple[str, Span]] = []
    bits: int | None = None
    for flag, span in written:
        if isinstance(flag, int):
            bits = _fitting_bits(flag, bits, dtype, span)
            continue
        _known_flag(flag, [f for f, _ in flags], span)
        flags.append((flag, span))
    return tuple(flags), bits


def _known_dtype(dtype: str, span: Span) -> None:
    if WIDTH.match(dtype) or dtype == "bool":
        return
    help_ = "a scheme is written: scheme NAME = DTYPE FLAGS, as in scheme act = uint8 asymmetric per_tensor"
    meant = nearest(dtype, DTYPES)
    said = f": did you mean `{meant}`?" if meant else ""
    raise Refusal(span, f"{quote(dtype)} is not a dtype{said}", help=help_)


def _known_flag(flag: str, before: list[str], span: Span) -> None:
    if flag not in FLAGS:
        meant = nearest(flag, FLAGS)
        said = f": did you mean `{meant}`?" if meant else ""
        listed = "the flags are asymmetric or symmetric, per_tensor or per_channel, narrow, pow2, and a number of bits"
        raise Refusal(span, f"{quote(flag)} is not a flag of a scheme{said}", help=listed)
    if flag in before:
        raise Refusal(span, f"`{flag}` is said twice", help="remove one of them")
    if OPPOSITES.get(flag) in before:
        raise Refusal(span, f"a scheme cannot be both `{OPPOSITES[flag]}` and `{flag}`", help="remove one of them")


def _fitting_bits(bits: int, before: int | None, dtype: str, span: Span) -> int:
    if before is not None:
        raise Refusal(span, "the number of bits is said twice", help="remove one of them")
    match = WIDTH.match(dtype)
    most = int(match[1]) if match else 1
    if not 2 <= bits <= most:
        raise Refusal(span, f"{dtype} has no {bits} bits to use", help=f"write a number from 2 to {most}")
    return bits
