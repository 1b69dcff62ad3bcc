"""Rule files written by a test, read without asking the checker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qdsl.ruleset import RuleSet, load_rules

SCHEMES = """
scheme act    = uint8 asymmetric per_tensor
scheme weight = int8  symmetric  per_channel narrow
scheme acc    = int32 symmetric  per_channel
scheme wide   = int32 symmetric  per_tensor 24 bits
"""

Rules = Callable[..., RuleSet]


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """rules(text, ...): the rule set of these texts behind the usual schemes, without the stock rules."""

    def made(*texts: str) -> RuleSet:
        path = tmp_path / "own.qrule"
        path.write_text(SCHEMES + "\n".join(texts))
        return load_rules(path, stock=False)

    return made
