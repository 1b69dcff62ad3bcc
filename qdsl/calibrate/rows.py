"""Arrays with the samples first, read a few rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray


class Rows(ABC):
    """An array whose rows are read once, in order."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    @abstractmethod
    def read(self, count: int) -> NDArray[np.generic]:
        """The next `count` rows, (count, *shape[1:]); no more may be asked for than are left."""


class ArrayRows(Rows):
    """An array in memory; what is read are views."""

    def __init__(self, array: NDArray[np.generic]) -> None:
        self._array = array
        self._at = 0
        self.shape = array.shape
        self.dtype = array.dtype

    def read(self, count: int) -> NDArray[np.generic]:
        rows = self._array[self._at : self._at + count]
        self._at += count
        return rows
