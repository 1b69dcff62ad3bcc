"""The schemes of the rule files as a configuration changes them.

An option that was not set leaves schemes as they are written. nbit_input and dtype_input speak of every scheme of at
most 16 bits that is not a weight's (per-channel and symmetric); nbit_weight and dtype_weight of those that are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from qdsl.config import QConfig
from qdsl.formats.format import STORAGE_BITS, SchemeType


def effective_schemes(schemes: Mapping[str, SchemeType], config: QConfig) -> dict[str, SchemeType]:
    """The schemes under a configuration."""
    return {name: _changed(scheme, config) for name, scheme in schemes.items()}


def is_weight_scheme(scheme: SchemeType) -> bool:
    """Whether a scheme is one for constants: symmetric, signed, and per channel or narrow."""
    return not scheme.is_accumulator and scheme.symmetric and (scheme.per_channel or scheme.narrow)


def _changed(scheme: SchemeType, config: QConfig) -> SchemeType:
    if scheme.is_accumulator:
        return scheme
    if is_weight_scheme(scheme):
        changed = _with_storage(scheme, config, "dtype_weight", "nbit_weight")
        return changed if config.per_channel else replace(changed, per_channel=False)
    changed = _with_storage(scheme, config, "dtype_input", "nbit_input")
    if config.asymmetric or changed.symmetric:
        return changed
    return replace(changed, symmetric=True)


def _with_storage(scheme: SchemeType, config: QConfig, dtype_option: str, bits_option: str) -> SchemeType:
    if dtype_option in config.chosen:
        scheme = replace(scheme, dtype=getattr(config, dtype_option), bits=None)
    if bits_option in config.chosen or dtype_option in config.chosen:
        bits = getattr(config, bits_option) if bits_option in config.chosen else STORAGE_BITS[scheme.dtype]
        scheme = replace(scheme, bits=None if bits == STORAGE_BITS[scheme.dtype] else bits)
    return scheme
