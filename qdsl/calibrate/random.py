"""Random samples: to try a model's speed and structure without data. Ranges found with them mean nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from qdsl.calibrate.fit import InputLike


def random_samples(inputs: Sequence[InputLike], count: int, seed: int = 0) -> Iterator[dict[str, NDArray[np.generic]]]:
    """`count` batches of the model's shapes: standard normal floats, and 0 or 1 where it reads whole numbers."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield {spec.name: _random(rng, spec) for spec in inputs}


def _random(rng: np.random.Generator, spec: InputLike) -> NDArray[np.generic]:
    dtype = np.dtype(spec.dtype)
    if dtype.kind in "iub":
        return np.asarray(rng.integers(0, 2, spec.shape)).astype(dtype)
    return np.asarray(rng.standard_normal(spec.shape)).astype(dtype)
