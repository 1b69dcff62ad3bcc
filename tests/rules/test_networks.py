"""Whole networks: the rules that have to fire do, integers are what the simulation says, and float is not far."""

from __future__ import annotations

import pytest

from .networks import NETWORKS
from .whole import quantized


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    given = NETWORKS[name]
    whole = quantized(given.text, spread=given.spread)
    assert whole.rules() == given.rules
    assert whole.drift() <= 1
    assert min(whole.sqnr()) >= whole.floor()
