"""Samples one after the other, each with any number of rows, brought into batches of the model's size.

For a model input (B, ...) an element of the stream may hold (n, ...) for any n, or one row (...) without the batch
axis. Rows are queued until a batch is full: never more than one element and a part of a batch is held. What is left in
the end fills no batch and is dropped; that is an error only when no batch was filled at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.fit import InputLike, as_array, check_names, converted
from qdsl.errors import DataError

Batch = dict[str, NDArray[np.generic]]


class StreamBatches:
    """An iterator over batches; `dropped` counts the rows left over once it has ended."""

    def __init__(self, elements: Iterable[object], inputs: Sequence[InputLike]) -> None:
        self._elements = elements
        self._inputs = inputs
        self._queues: dict[str, list[NDArray[np.generic]]] = {spec.name: [] for spec in inputs}
        self.dropped = 0

    def __iter__(self) -> Iterator[Batch]:
        seen = filled = 0
        for number, element in enumerate(self._elements):
            self._enqueue(named(element, self._inputs, number), number)
            seen += 1
            while self._is_full():
                yield {spec.name: self._take(spec) for spec in self._inputs}
                filled += 1
        first = self._inputs[0]
        self.dropped = _length(self._queues[first.name])
        if not seen or not (filled or self.dropped):
            raise DataError("The calibration data is empty; calibration needs at least one sample.")
        if not filled:
            raise DataError(
                f"The calibration data holds {self.dropped} rows of input '{first.name}', and the model takes "
                f"{_batch(first)} at a time: give at least {_batch(first)}."
            )

    def _enqueue(self, sample: Mapping[str, object], number: int) -> None:
        shares = {}
        for spec in self._inputs:
            where = f"Sample {number}, input '{spec.name}'"
            rows = _rows(converted(as_array(sample[spec.name], where), spec, where), spec, where)
            self._queues[spec.name].append(rows)
            shares[spec.name] = len(rows) / _batch(spec)
        if len(set(shares.values())) > 1:
            listed = ", ".join(f"'{name}' {share:g}" for name, share in shares.items())
            raise DataError(f"Sample {number}: its inputs are for different numbers of batches: {listed}.")

    def _is_full(self) -> bool:
        return all(_length(self._queues[spec.name]) >= _batch(spec) for spec in self._inputs)

    def _take(self, spec: InputLike) -> NDArray[np.generic]:
        queue, wanted = self._queues[spec.name], _batch(spec)
        if len(queue[0]) == wanted:
            return queue.pop(0).reshape(spec.shape)
        joined = np.concatenate(queue) if len(queue) > 1 else queue[0]
        self._queues[spec.name] = [joined[wanted:]] if len(joined) > wanted else []
        return np.ascontiguousarray(joined[:wanted]).reshape(spec.shape)


def named(element: object, inputs: Sequence[InputLike], number: int) -> Mapping[str, object]:
    """An element as {input name: data}: itself, or the only input's data."""
    if isinstance(element, Mapping):
        check_names(element.keys(), inputs, f"Sample {number}")
        return element
    if len(inputs) == 1 and hasattr(element, "__array__"):
        return {inputs[0].name: element}
    names = ", ".join(f"'{spec.name}': array" for spec in inputs)
    raise DataError(f"Sample {number} is a {type(element).__name__}; a sample is a dict of arrays: {{{names}}}.")


def count_batches(elements: object, first: InputLike) -> int | None:
    """How many batches a list of samples gives, by the model's first input; None for anything but a plain list."""
    if not isinstance(elements, list | tuple):
        return None
    rows = 0
    for element in elements:
        array = element.get(first.name) if isinstance(element, Mapping) else element
        shape = getattr(array, "shape", None)
        if shape is None:
            return None
        rows += shape[0] if first.shape and len(shape) == len(first.shape) else 1
    return int(rows) // _batch(first)


def _rows(array: NDArray[np.generic], spec: InputLike, where: str) -> NDArray[np.generic]:
    if not spec.shape:
        if array.shape == ():
            return array.reshape(1)
    elif array.ndim == len(spec.shape) and array.shape[1:] == spec.shape[1:]:
        return array
    elif array.shape == spec.shape[1:]:
        return array.reshape(1, *array.shape)
    raise DataError(
        f"{where}: shape {array.shape} does not fit the model's {spec.shape}; "
        f"only the first size may differ, as several samples may come at once."
    )


def _batch(spec: InputLike) -> int:
    return spec.shape[0] if spec.shape else 1


def _length(queue: Sequence[NDArray[np.generic]]) -> int:
    return sum(len(rows) for rows in queue)
