"""Ranges of codes: interval arithmetic, None where a range is not known."""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.formats.format import STORAGE_BITS, SchemeType

Range = tuple[int, int] | None


def add(a: Range, b: Range) -> Range:
    """The codes of a sum."""
    return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])


def subtract(a: Range, b: Range) -> Range:
    """The codes of a difference; of a code and a zero point anywhere in the range, where both are the same."""
    return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])


def multiply(a: Range, b: Range) -> Range:
    """The codes of a product."""
    if a is None or b is None:
        return None
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def join(every: Sequence[Range]) -> Range:
    """The codes of a value that has those of any one of several."""
    known = [r for r in every if r is not None]
    return (min(r[0] for r in known), max(r[1] for r in known)) if known and len(known) == len(every) else None


def center(codes: Range, zero: int | str) -> Range:
    """The codes with the zero point removed, which may be any code where it is a symbol."""
    if isinstance(zero, str):
        return subtract(codes, codes)
    return subtract(codes, (zero, zero))


def peak(codes: Range) -> int | None:
    """The greatest absolute value."""
    return None if codes is None else max(abs(codes[0]), abs(codes[1]))


def fits(codes: Range, dtype: str) -> bool:
    """Whether a dtype holds all the codes; True where either is not known."""
    if codes is None or dtype not in STORAGE_BITS:
        return True
    scheme = SchemeType(dtype, dtype, symmetric=True, per_channel=False)
    return scheme.low <= codes[0] and codes[1] <= scheme.high
