"""Numbers in words, the same in every view."""

from __future__ import annotations

from qdsl.report.rows import Output, Row


def decibels(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def scale(value: float | tuple[float, ...] | None) -> str:
    """One number, or the range and count of the channels' numbers."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        known = [one for one in value if one is not None]
        if not known:
            return ""
        return f"{min(known):.3g} .. {max(known):.3g} [{len(value)}]" if len(value) > 1 else f"{known[0]:.3g}"
    return f"{value:.3g}"


def zero_point(value: int | tuple[int, ...] | None) -> str:
    if isinstance(value, tuple):
        return scale(value) if len(set(value)) > 1 else str(value[0])
    return "" if value is None else str(value)


def why(row: Row) -> str:
    """The rule that fired, or the reason why none did."""
    return row.rule or row.reason or ""


def error(output: Output) -> str:
    """One output against float."""
    if output.is_exact:
        return "exact"
    if output.max_abs_error is None:
        return "not finite, in float or in integers"
    cosine = "" if output.cosine is None else f"   cosine {output.cosine:.6f}"
    decibel = "" if output.sqnr_db is None else f"{output.sqnr_db:.1f} dB"
    return f"{decibel}{cosine}   max error {output.max_abs_error:.3g}"


def counted(number: int, what: str) -> str:
    """`1 operator`, `2 operators`."""
    return f"{number} {what}" + ("" if number == 1 else "s")
