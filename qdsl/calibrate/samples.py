"""SampleSource: calibration data in whatever form, as batches of the model's exact shapes.

    iterable of {input: array}         also a generator; an element may hold any number of rows
    {input: array}                     with the samples first
    path of an .npz                    the same, read row by row; pickles are refused
    array, or iterable of arrays       for a model with one input

Names are the model's own, exactly. Only one batch is held at a time, and a generator is read once. When the model takes
B > 1 samples at a time, the last samples that fill no batch are dropped if there was at least one batch (`dropped` says
how many), and are an error otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.fit import InputLike, as_array, check_names
from qdsl.calibrate.npz import open_npz
from qdsl.calibrate.rows import ArrayRows, Rows
from qdsl.calibrate.stacked import stacked_batches
from qdsl.calibrate.stream import StreamBatches, count_batches
from qdsl.errors import DataError

Batch = dict[str, NDArray[np.generic]]
Samples = Iterable[object] | Mapping[str, object] | str | Path
"""What SampleSource takes; arrays are iterables too."""

UNNAMED = ""
"""The key of data that came without a name, for a model with one input."""


class SampleSource:
    """Calibration data, to be iterated over as {input name: array of the model's shape and dtype}."""

    def __init__(self, calibration: Samples, inputs: Sequence[InputLike] | None = None, *, keep: bool = False) -> None:
        """
        Args:
            calibration: data in one of the forms above.
            inputs: the model's inputs; may be given later, to `batches`.
            keep: keep the batches of a generator in memory, so that it can be iterated over again.

        Raises:
            DataError: data in no known form.
        """
        if not isinstance(calibration, str | Path | Mapping | Iterable) and not hasattr(calibration, "__array__"):
            raise DataError(
                f"Calibration data is an iterable of {{input name: array}}, a dict of arrays with the samples first or "
                f"the path of an .npz file, not a {type(calibration).__name__}."
            )
        self._data = calibration
        self._inputs = inputs
        self._keep = keep
        self._kept: list[Batch] | None = None
        self._begun: Iterator[object] | None = None
        self._used = False
        self.total: int | None = None
        """How many batches there are, as soon as that is known; a generator tells at its end."""
        self.dropped = 0
        """Samples at the end that filled no batch, once that is known."""

    @property
    def is_stacked(self) -> bool:
        """Whether the data are whole arrays with the samples first."""
        return isinstance(self._data, str | Path | Mapping) or hasattr(self._data, "__array__")

    @property
    def is_one_shot(self) -> bool:
        """Whether the data can be read only once."""
        return not self.is_stacked and iter(self._data) is self._data  # type: ignore[arg-type]

    @property
    def sample_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of a sample by input name, UNNAMED for data without names; reading it loses no sample.

        Where the samples are an array's first axis it is given as 1; otherwise the shapes are those of the first
        element.

        Raises:
            DataError: no samples, something that is no sample, or a file that cannot be read.
        """
        if self.is_stacked:
            return {name: (1, *rows.shape[1:]) if rows.shape else () for name, rows in self._arrays().items()}
        first = self._first()
        if isinstance(first, Mapping):
            return {str(name): as_array(value, f"Sample 0, input '{name}'").shape for name, value in first.items()}
        return {UNNAMED: as_array(first, "Sample 0").shape}

    def __iter__(self) -> Iterator[Batch]:
        return self.batches()

    def batches(self, inputs: Sequence[InputLike] | None = None) -> Iterator[Batch]:
        """Batches of the shapes of the model's inputs (those given here, or to the constructor).

        Raises:
            DataError: names, shapes, dtypes or numbers that do not fit, by input and sample (counted from 0); no
                samples; a generator that has been read.
        """
        chosen = self._inputs if inputs is None else inputs
        if not chosen:
            raise DataError("The model has no inputs, or none are known yet, so no samples can be read for it.")
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Batch] = []
        for batch in self._stacked(chosen) if self.is_stacked else self._streamed(chosen):
            if self._keep and self.is_one_shot:
                kept.append(batch)
            yield batch
        self._kept = kept or None

    def _stacked(self, inputs: Sequence[InputLike]) -> Iterator[Batch]:
        where = str(self._data) if isinstance(self._data, str | Path) else "The calibration data"
        arrays = self._named(self._arrays(), inputs)
        check_names(arrays.keys(), inputs, where)
        batches, self.total, self.dropped = stacked_batches(arrays, inputs, where)
        yield from batches

    def _streamed(self, inputs: Sequence[InputLike]) -> Iterator[Batch]:
        stream = StreamBatches(self._elements(), inputs)
        self.total = count_batches(self._data, inputs[0])
        count = 0
        for batch in stream:
            count += 1
            yield batch
        self.total, self.dropped = count, stream.dropped

    def _arrays(self) -> dict[str, Rows]:
        if isinstance(self._data, str | Path):
            return dict(open_npz(Path(self._data)))
        if isinstance(self._data, Mapping):
            given = {name: as_array(value, f"Input '{name}'") for name, value in self._data.items()}
            return {name: ArrayRows(array) for name, array in given.items()}
        return {UNNAMED: ArrayRows(as_array(self._data, "The calibration data"))}

    def _named(self, arrays: dict[str, Rows], inputs: Sequence[InputLike]) -> dict[str, Rows]:
        """A single array without a name is the only input's; "arr_0" is what numpy.savez calls it."""
        if len(arrays) != 1 or len(inputs) != 1:
            return arrays
        ((name, rows),) = arrays.items()
        return {inputs[0].name: rows} if name in (UNNAMED, "arr_0") else arrays

    def _first(self) -> object:
        """The first element, which stays in the stream."""
        stream = self._elements()
        missing = object()
        first = next(stream, missing)
        if first is missing:
            raise DataError("The calibration data is empty; calibration needs at least one sample.")
        self._begun, self._used = chain([first], stream), False
        return first

    def _elements(self) -> Iterator[object]:
        if self._begun is not None:
            stream, self._begun = self._begun, None
        elif self.is_one_shot and self._used:
            raise DataError("The calibration data is a generator and has been read; give a list, or make a new one.")
        else:
            stream = iter(self._data)  # type: ignore[arg-type]
        self._used = True
        return stream
