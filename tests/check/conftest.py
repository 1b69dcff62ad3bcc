"""Checking a text that stands in a test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qdsl.check import check
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.program import load_text

SCHEMES = """
scheme act    = uint8 asymmetric per_tensor
scheme weight = int8  symmetric  per_channel narrow
scheme acc    = int32 symmetric  per_channel
scheme wide   = int32 symmetric  per_tensor 24 bits
"""

ADVICE = {"Q0402", "Q0407", "Q0410", "Q0411"}
"""Said of nearly every small example."""


@pytest.fixture
def said() -> Callable[[str], list[Diagnostic]]:
    """What is said of a text behind the usual schemes, advice aside."""

    def findings(text: str) -> list[Diagnostic]:
        return [d for d in check(load_text(SCHEMES + text)) if d.code not in ADVICE]

    return findings


@pytest.fixture
def codes(said: Callable[[str], list[Diagnostic]]) -> Callable[[str], list[str]]:
    """The codes of what is said of a text."""
    return lambda text: [d.code for d in said(text)]
