"""Samples as whole arrays, one an input, with the samples along the first axis.

For a model input (B, ...) an array may be

    (N, ...)       N rows, taken B at a time; the model's batch axis is the samples axis
    (N, B, ...)    N samples of the model's exact shape
    (...)          a single row without the batch axis
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.fit import InputLike, check_dtype, converted
from qdsl.calibrate.rows import ArrayRows, Rows
from qdsl.errors import DataError

Batch = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class _Reading:
    """How the rows of one array become batches of an input."""

    spec: InputLike
    rows: Rows
    per_batch: int
    total: int

    @property
    def batches(self) -> int:
        return self.total // self.per_batch


def stacked_batches(
    arrays: Mapping[str, Rows], inputs: Sequence[InputLike], where: str
) -> tuple[Iterator[Batch], int, int]:
    """Batches of the model's shape, how many, and how many samples remain at the end that fill none.

    Raises:
        DataError: shapes or dtypes that do not fit, inputs with different numbers of samples, too few of them; while
            iterating, numbers that do not fit, by input and sample (counted from 0).
    """
    readings = [_reading(arrays[spec.name], spec, f"{where}, input '{spec.name}'") for spec in inputs]
    _check_counts(readings, where)
    first = readings[0]
    return _batches(readings), first.batches, first.total - first.batches * first.per_batch


def _batches(readings: Sequence[_Reading]) -> Iterator[Batch]:
    for i in range(readings[0].batches):
        batch = {}
        for reading in readings:
            rows = reading.rows.read(reading.per_batch).reshape(reading.spec.shape)
            where = f"Sample {i * reading.per_batch}, input '{reading.spec.name}'"
            batch[reading.spec.name] = _converted_by_row(rows, reading, where, i)
        yield batch


def _converted_by_row(rows: NDArray[np.generic], reading: _Reading, where: str, batch: int) -> NDArray[np.generic]:
    """`converted`, with the number of the sample that is to blame in the message."""
    try:
        return converted(rows, reading.spec, where)
    except DataError:
        for j in range(reading.per_batch if reading.per_batch > 1 else 0):
            number = batch * reading.per_batch + j
            converted(rows[j], reading.spec, f"Sample {number}, input '{reading.spec.name}'")
        raise


def _reading(rows: Rows, spec: InputLike, where: str) -> _Reading:
    check_dtype(rows.dtype, spec, where)
    shape, wanted = rows.shape, spec.shape
    if wanted and len(shape) == len(wanted) and shape[1:] == wanted[1:]:
        return _Reading(spec, rows, wanted[0], shape[0])
    if len(shape) == len(wanted) + 1 and shape[1:] == wanted:
        return _Reading(spec, rows, 1, shape[0])
    if wanted and shape == wanted[1:]:
        whole = rows.read(shape[0]) if shape else rows.read(1)
        return _Reading(spec, ArrayRows(whole.reshape(1, *shape)), wanted[0], 1)
    raise DataError(
        f"{where}: shape {shape} does not fit the model's {wanted}; with the samples first {_right(wanted)}."
    )


def _right(wanted: tuple[int, ...]) -> str:
    """In words, the shapes that fit."""
    sizes = ", ".join(str(size) for size in (wanted[1:] if wanted else wanted))
    return f"it is (N, {sizes})" if sizes else "it is (N,)"


def _check_counts(readings: Sequence[_Reading], where: str) -> None:
    counts = {reading.spec.name: reading.total / reading.per_batch for reading in readings}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"'{r.spec.name}' has {r.total} (the model takes {r.per_batch})" for r in readings)
        raise DataError(f"{where}: the inputs have different numbers of samples: {listed}.")
    first = readings[0]
    if first.total == 0:
        raise DataError(f"{where} holds no samples; calibration needs at least one.")
    if first.batches == 0:
        raise DataError(
            f"{where} holds {first.total} samples, and the model takes {first.per_batch} at a time: "
            f"give at least {first.per_batch}."
        )
