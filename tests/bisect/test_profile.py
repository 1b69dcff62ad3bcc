"""--fuel and --profile of quantize."""

from __future__ import annotations

from pathlib import Path

import pytest

from qdsl.errors import ConfigError
from qdsl.ruleset import RuleSet
from qdsl.session.quantize import quantize

from .conftest import SAMPLES


def test_fuel_counts_applications_in_program_order(model: Path) -> None:
    whole = quantize(model, stage="annotate").plan.firings
    some = quantize(model, stage="annotate", fuel=3).plan
    assert [f.rule.name for f in some.firings.values()] == [f.rule.name for f in whole.values()][:3]
    assert any("no fuel is left" in d.reason for d in some.decisions)
    assert not quantize(model, stage="annotate", fuel=0).plan.firings
    with pytest.raises(ConfigError, match="fuel = -1"):
        quantize(model, stage="annotate", fuel=-1)


def test_the_profile_counts_and_prices_every_rule(model: Path, coarse: RuleSet) -> None:
    result = quantize(model, SAMPLES, rules=coarse, profile=True)
    by_name = {p.rule: p for p in result.profile}
    assert {r.name for r in coarse.program.rules} <= set(by_name)
    convolution, relu, spoiler = by_name["convolution"], by_name["relu"], by_name["coarse"]
    assert (convolution.matches, convolution.fired) == (4, 4)
    assert relu.matches == relu.fired == 3
    assert (spoiler.matches, spoiler.tries, spoiler.fired) == (1, 1, 1)
    assert spoiler.sqnr_db is not None
    assert convolution.sqnr_db is not None
    assert spoiler.sqnr_db < 25 < convolution.sqnr_db
    assert relu.sqnr_db is None, "it converts nothing"
    assert all(p.time_ms >= 0 for p in result.profile)
