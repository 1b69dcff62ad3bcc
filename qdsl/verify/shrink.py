"""From a counterexample to the smallest one that still shows the same: smaller shapes first, then fewer and plainer
codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.verify.choose import Choices
from qdsl.verify.operands import Operand

Array = NDArray[Any]
Still = Callable[[Mapping[str, Array]], bool]
"""Whether inputs still show the failure."""

RUNS = 400
"""Runs that a counterexample's values may cost."""


def smaller_choices(choices: Choices, asked: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Choices with smaller shapes, the smallest first: of a label `shape` the last option, of `size` those but the
    first; then the same without any other deviation."""
    sizes = {label: count for label, count in asked.items() if label.rpartition(".")[2] in ("shape", "size")}
    plain = {label: index for label, index in choices.items() if label in sizes}
    for kept in ({**choices}, plain):
        for step in range(2):
            smaller = {
                label: count - 1 - step if label.endswith("shape") else 1 + step
                for label, count in sizes.items()
                if count - 1 - step > 0 or label.endswith("size")
            }
            candidate = {**kept, **smaller}
            if candidate != dict(choices):
                yield candidate
    if plain != dict(choices):
        yield plain


def smaller_inputs(
    inputs: Mapping[str, Array], operands: tuple[Operand, ...], still: Still, runs: int = RUNS
) -> dict[str, Array]:
    """Inputs with as few codes off the zero point as can be, and those near it."""
    found = {name: np.asarray(array) for name, array in inputs.items()}
    left = [runs]

    def shows(candidate: Mapping[str, Array]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and still(candidate)

    for operand in operands:
        if operand.bound is None:
            found = _plainer(found, operand, shows)
    return found


def _plainer(inputs: Mapping[str, Array], operand: Operand, still: Still) -> dict[str, Array]:
    """Inputs with one operand made plainer."""
    array = np.asarray(inputs[operand.name])
    codes = operand.codes(array) if operand.is_coded else array.astype(np.float64)

    def given(changed: NDArray[Any]) -> dict[str, Array]:
        shaped = changed.reshape(operand.shape)
        return {**inputs, operand.name: operand.real(shaped) if operand.is_coded else shaped.astype(np.float32)}

    zero = operand.zero if operand.is_coded else 0
    codes = _fewer(codes.reshape(-1), zero, lambda changed: still(given(changed)))
    return given(_nearer(codes, zero, lambda changed: still(given(changed))))


def _fewer(codes: NDArray[Any], zero: int, shows: Callable[[NDArray[Any]], bool]) -> NDArray[Any]:
    """Sets stretches to zero, halves first, then smaller ones, as long as the failure shows."""
    width = codes.size
    while width >= 1:
        for start in range(0, codes.size, width):
            stretch = codes[start : start + width]
            if np.all(stretch == zero):
                continue
            changed = codes.copy()
            changed[start : start + width] = zero
            if shows(changed):
                codes = changed
        width //= 2
    return codes


def _nearer(codes: NDArray[Any], zero: int, shows: Callable[[NDArray[Any]], bool]) -> NDArray[Any]:
    """Moves what is left towards zero, by halves."""
    for position in np.flatnonzero(codes != zero)[:8]:
        while True:
            offset = codes[position] - zero
            nearer = int(offset / 2) if codes.dtype.kind == "i" else np.trunc(offset / 2)
            changed = codes.copy()
            changed[position] = zero + nearer
            if nearer == offset or not shows(changed):
                break
            codes = changed
    return codes
