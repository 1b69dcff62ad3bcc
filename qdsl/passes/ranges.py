"""What `solve` asks of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qdsl.passes.sites import Site


class Ranges(Protocol):
    """Numbers from observed values and from constants."""

    def weight_scale(self, site: Site) -> NDArray[np.float64]:
        """The scale of a constant, () or (channels,) along the site's axis."""

    def constant_range(self, members: Sequence[Site]) -> tuple[NDArray[np.float64], int]:
        """Scale and zero point for constants read in an asymmetric format."""

    def wide_scale(self, members: Sequence[Site]) -> NDArray[np.float64]:
        """A scale on which the results and every operand rescaled onto it fit the scheme's bits."""

    def activation(self, members: Sequence[Site]) -> tuple[float, int]:
        """Scale and zero point that all values of a group share."""
