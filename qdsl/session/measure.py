"""Errors between two runs of a model, streamed: signal and noise power per value, nothing of the samples kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class Difference:
    """Accumulated comparison of one value with its float reference.

    SQNR = 10 log10(sum r^2 / sum (r - q)^2), in dB; cosine = sum r q / sqrt(sum r^2 sum q^2).
    """

    signal: float = 0.0
    noise: float = 0.0
    energy: float = 0.0
    product: float = 0.0
    greatest: float = 0.0

    def add(self, reference: NDArray[np.generic], value: NDArray[np.generic]) -> None:
        """One sample more."""
        r = np.asarray(reference, np.float64).reshape(-1)
        q = np.asarray(value, np.float64).reshape(-1)
        error = r - q
        self.signal += float(r @ r)
        self.noise += float(error @ error)
        self.energy += float(q @ q)
        self.product += float(r @ q)
        self.greatest = max(self.greatest, float(np.max(np.abs(error), initial=0.0)))

    @property
    def sqnr_db(self) -> float | None:
        """None where there is no noise, or no signal to compare it with."""
        if self.noise == 0.0 or self.signal == 0.0 or not math.isfinite(self.noise):
            return None
        return 10.0 * math.log10(self.signal / self.noise)

    @property
    def cosine(self) -> float | None:
        norm = math.sqrt(self.signal * self.energy)
        return self.product / norm if norm > 0.0 else None


def peak_memory_mb() -> float:
    """The most memory that this process has held, in MiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
