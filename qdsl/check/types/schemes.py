"""Q0307: schemes that no tensor can be quantized to."""

from __future__ import annotations

from qdsl.check.types.findings import Findings
from qdsl.formats.format import STORAGE_BITS
from qdsl.lang import tree
from qdsl.lang.source import Span


def check_scheme(scheme: tree.Scheme, findings: Findings) -> None:
    """Report a dtype or a number of bits that the backend has no quantizer for."""
    flags = {name: span for name, span in scheme.flags}
    if scheme.dtype not in STORAGE_BITS:
        findings.add(
            "Q0307",
            f"a value cannot be quantized to {scheme.dtype}",
            _dtype_span(scheme),
            help=f"the dtypes are {', '.join(STORAGE_BITS)}"
            + ("; write `as float`" if "float" in scheme.dtype else ""),
        )
        return
    if scheme.dtype == "int32" and "asymmetric" in flags:
        findings.add(
            "Q0307",
            "int32 has no zero point: operators compute into it",
            flags["asymmetric"],
            help="write symmetric",
        )
    storage = STORAGE_BITS[scheme.dtype]
    if scheme.bits is not None and not 2 <= scheme.bits <= storage:
        findings.add(
            "Q0307",
            f"{scheme.dtype} cannot hold {scheme.bits} bits"
            if scheme.bits > storage
            else "a format has at least 2 bits",
            scheme.span,
            help=f"write 2 to {storage} bits, or leave them out",
        )


def _dtype_span(scheme: tree.Scheme) -> Span:
    """The first word after the equals sign."""
    text = scheme.span.text
    after = text.index("=", scheme.name_span.end - scheme.span.start) + 1
    start = scheme.span.start + text.index(scheme.dtype, after)
    return Span(scheme.span.source, start, start + len(scheme.dtype))
