"""What must hold between options, and which of them idle beside the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qdsl.formats.format import STORAGE_BITS

if TYPE_CHECKING:
    from qdsl.config.options import QConfig


def contradiction(config: QConfig) -> str | None:
    """The first pair of options that cannot both hold, as a sentence with the way out; None if there is none."""
    for which in ("input", "weight"):
        bits, dtype = getattr(config, f"nbit_{which}"), getattr(config, f"dtype_{which}")
        if bits > STORAGE_BITS[dtype]:
            return (
                f"option nbit_{which} = {bits}: {dtype} holds {STORAGE_BITS[dtype]} bits; "
                f"lower nbit_{which} or set dtype_{which} to a wider type"
            )
    product = config.nbit_input + config.nbit_weight
    if config.nbit_activation < product:
        return (
            f"option nbit_activation = {config.nbit_activation}: one product of nbit_input = {config.nbit_input} and "
            f"nbit_weight = {config.nbit_weight} needs {product} bits; raise it to at least {product}"
        )
    if config.calibrate_chunk_by == 0:
        return "option calibrate_chunk_by = 0: a pass must observe something; use -1 for all tensors, or 1 and more"
    both = sorted(set(config.only) & set(config.without))
    if both:
        return f"rule {both[0]!r} stands in both options only and without; take it out of one of them"
    return None


def idle_options(config: QConfig) -> list[str]:
    """Options that were set although the others leave them without effect, one sentence each."""
    needs = (
        ("global_scale", "calibrate_mode", "global_scale"),
        ("percentile", "calibrate_mode", "percentile"),
        ("rounding", "requantize", "fixed"),
        ("round_for_shift", "requantize", "fixed"),
    )
    return [
        f"option {name} has no effect unless {other} = {value!r}; it is {getattr(config, other)!r}"
        for name, other, value in needs
        if name in config.chosen and getattr(config, other) != value
    ]
