"""Number formats: what a rule's mark means for a value. One type for checker, annotator and realizer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qdsl.formats.scale import Scale

STORAGE_BITS = {"int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32}


@dataclass(frozen=True)
class SchemeType:
    """A `scheme` item with its flags resolved: the static half of a format."""

    name: str
    dtype: str
    symmetric: bool
    per_channel: bool
    narrow: bool = False
    """Leave out the most negative code (-128), so that the range is symmetric."""
    bits: int | None = None
    """Fewer bits than the storage dtype has, or None for all of them."""
    pow2: bool = False
    """Every scale is a power of two: calibrated ones are rounded up, derived ones are products of such."""

    @property
    def used_bits(self) -> int:
        return self.bits or STORAGE_BITS[self.dtype]

    @property
    def is_accumulator(self) -> bool:
        """int32: a format that operators compute into."""
        return self.dtype == "int32"

    @property
    def low(self) -> int:
        """The least code, inclusive."""
        if self.dtype.startswith("u"):
            return 0
        return -(2 ** (self.used_bits - 1)) + (1 if self.narrow else 0)

    @property
    def high(self) -> int:
        """The greatest code, inclusive."""
        return 2 ** (self.used_bits - (0 if self.dtype.startswith("u") else 1)) - 1

    @property
    def zero_for_symmetric(self) -> int:
        """The zero point of a symmetric scheme: 0, or mid-range for an unsigned dtype."""
        return 2 ** (self.used_bits - 1) if self.dtype.startswith("u") else 0


@dataclass(frozen=True)
class Format:
    """The type of a quantized value: real = scale * (code - zero)."""

    scheme: SchemeType
    scale: Scale
    zero: str | int = 0
    """A symbol (calibrated, asymmetric schemes) or a known integer."""
    axis: int | None = None
    """The axis that a per-channel scale lies along, or None for per-tensor."""

    @property
    def dtype(self) -> str:
        return self.scheme.dtype

    def with_scale(self, scale: Scale) -> Format:
        return replace(self, scale=scale)

    def __str__(self) -> str:
        along = "" if self.axis is None else f"[{self.axis}]"
        zero = "" if self.zero == 0 else f" - {self.zero}"
        return f"{self.scheme.name}{along} {self.dtype}{zero} @ {self.scale}"
